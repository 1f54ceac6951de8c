"""wheel.py - pack the package as a wheel

    wheel.py VERSION FOLDER WHEELS

packs FOLDER/margay, with the library in it, README.md and LICENSE into a wheel
in the folder WHEELS and prints its name.  A wheel is a zip file with a list of
its contents (the binary distribution format of the Python Packaging Authority),
so that nothing but Python is needed.  The same contents give the same bytes.
"""
import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

version, folder, wheels = sys.argv[1], *map(pathlib.Path, sys.argv[2:4])
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
root = pathlib.Path(__file__).resolve().parents[2]
about = f"margay-{version}.dist-info"
files = {str(path.relative_to(folder)): path.read_bytes()
         for path in sorted((folder / "margay").rglob("*"))
         if path.is_file() and path.parent.name != "__pycache__"}
files[f"{about}/METADATA"] = (
    f"Metadata-Version: 2.1\nName: margay\nVersion: {version}\n"
    "Summary: Miss curves and reuse distances of traces\n"
    "Requires-Python: >=3.9\nLicense-File: LICENSE\n"
    "Description-Content-Type: text/markdown\n\n").encode() \
    + (root / "README.md").read_bytes()
files[f"{about}/LICENSE"] = (root / "LICENSE").read_bytes()
files[f"{about}/WHEEL"] = (
    "Wheel-Version: 1.0\nGenerator: margay\nRoot-Is-Purelib: false\n"
    f"Tag: py3-none-{platform}\n").encode()


def record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"{name},sha256={digest.rstrip(b'=').decode()},{len(content)}\n"


files[f"{about}/RECORD"] = ("".join(record(*file) for file in files.items())
                            + f"{about}/RECORD,,\n").encode()
wheels.mkdir(parents=True, exist_ok=True)
wheel = wheels / f"margay-{version}-py3-none-{platform}.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, content in files.items():
        entry = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
print(wheel)
