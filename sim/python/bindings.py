"""bindings.py - the library's C headers as Python's ctypes

    bindings.py HEADERS VERSION >_library.py

HEADERS is what the preprocessor makes of interface.h next to this file: the
public headers, and one constant for each macro of defaults.  So no structure is
written down twice, and a change of a header reaches Python with the next build.
Needs pycparser, for the build alone.
"""
import sys

from pycparser import c_ast, c_parser

SCALARS = {
    "_Bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint",
    "unsigned int": "c_uint", "double": "c_double", "float": "c_float",
    "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32",
    "uint64_t": "c_uint64", "int64_t": "c_int64", "size_t": "c_size_t",
}


class Bindings:
    def __init__(self):
        self.values = {}     # of enumerators and of their enums
        self.types = {}      # typedefs: name -> node
        self.structs = {}    # name -> members
        self.functions = {}  # name -> declaration

    # ---- constants ----

    def value(self, node):
        if isinstance(node, c_ast.Constant):
            if node.type == "string":
                return node.value
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.ID):
            return self.values[node.name]
        if isinstance(node, c_ast.UnaryOp):
            return {"-": lambda x: -x, "~": lambda x: ~x & 0xffffffff}[node.op](
                self.value(node.expr))
        if isinstance(node, c_ast.BinaryOp):
            a, b = self.value(node.left), self.value(node.right)
            return {"+": a + b, "-": a - b, "*": a * b, "|": a | b,
                    "<<": a << b if node.op == "<<" else 0}[node.op]
        if isinstance(node, c_ast.Cast):
            inner = self.value(node.expr)
            return None if inner == 0 else inner
        if isinstance(node, c_ast.InitList):
            return [self.value(item) for item in node.exprs]
        raise ValueError(f"{node.coord}: no constant that is known")

    def enumerators(self, enum):
        following = 0
        for item in enum.values.enumerators:
            if item.value is not None:
                following = self.value(item.value)
            self.values[item.name] = following
            following += 1

    # ---- types ----

    def type(self, node):
        if isinstance(node, c_ast.TypeDecl):
            return self.type(node.type)
        if isinstance(node, c_ast.IdentifierType):
            name = " ".join(node.names)
            if name in SCALARS:
                return SCALARS[name]
            return self.type(self.types[name])
        if isinstance(node, c_ast.Enum):
            return "c_int"
        if isinstance(node, c_ast.Struct):
            return node.name if node.name in self.structs else None
        if isinstance(node, c_ast.ArrayDecl):
            return f"{self.type(node.type)} * {self.value(node.dim)}"
        if isinstance(node, c_ast.FuncDecl):
            return self.callback(node)
        if isinstance(node, c_ast.PtrDecl):
            return self.pointer(node.type)
        raise ValueError(f"{node.coord}: no type that is known")

    def pointer(self, node):
        if isinstance(node, c_ast.FuncDecl):
            return self.callback(node)
        inner = node.type if isinstance(node, c_ast.TypeDecl) else node
        if isinstance(inner, c_ast.IdentifierType):
            if inner.names == ["void"]:
                return "c_void_p"
            if inner.names == ["char"]:
                return "c_char_p"
            name = " ".join(inner.names)
            if name not in SCALARS:
                return self.pointer(self.types[name])
        name = self.type(inner)
        return "c_void_p" if name is None else f"POINTER({name})"

    def callback(self, node):
        returns = node.type
        is_void = (isinstance(returns, c_ast.TypeDecl)
                   and isinstance(returns.type, c_ast.IdentifierType)
                   and returns.type.names == ["void"])
        result = "None" if is_void else self.type(returns)
        return f"CFUNCTYPE({', '.join([result, *self.arguments(node)])})"

    def arguments(self, node):
        if node.args is None:
            return []
        return [self.type(argument.type) for argument in node.args.params
                if not (isinstance(argument, c_ast.Typename)
                        and isinstance(argument.type, c_ast.TypeDecl)
                        and getattr(argument.type.type, "names", [])
                        == ["void"])]

    # ---- the whole ----

    def take(self, declaration):
        node = declaration.type
        if isinstance(declaration, c_ast.Typedef):
            self.types[declaration.name] = node
            return
        if isinstance(node, c_ast.Enum) and node.values is not None:
            self.enumerators(node)
        elif isinstance(node, c_ast.Struct) and node.decls is not None:
            self.structs[node.name] = node.decls
        elif isinstance(node, c_ast.FuncDecl):
            self.functions[declaration.name] = node
        elif declaration.init is not None:
            self.values[declaration.name] = self.value(declaration.init)

    def write(self, out):
        print('"""The library, as its headers declare it.  Made by '
              'bindings.py."""', file=out)
        print("from ctypes import *\n", file=out)
        for name, value in self.values.items():
            print(f"{name} = {value!r}", file=out)
        for name in self.structs:
            print(f"class {name}(Structure):\n    pass", file=out)
        written = set()
        for name in self.structs:
            self.write_struct(out, name, written)
        print("FUNCTIONS = {", file=out)
        for name, node in self.functions.items():
            made = self.callback(node)[len("CFUNCTYPE("):-1].split(", ", 1)
            result = made[0]
            arguments = ", ".join(self.arguments(node))
            print(f"    {name!r}: ({result}, [{arguments}]),", file=out)
        print("}", file=out)

    def write_struct(self, out, name, written):
        """The members, after the structures within it."""
        if name in written:
            return
        written.add(name)
        for member in self.structs[name]:
            inner = self.type(member.type)
            if inner in self.structs:
                self.write_struct(out, inner, written)
        print(f"{name}._fields_ = [", file=out)
        for member in self.structs[name]:
            print(f"    ({member.name!r}, {self.type(member.type)}),", file=out)
        print("]", file=out)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        tree = c_parser.CParser().parse(file.read(), sys.argv[1])
    bindings = Bindings()
    bindings.values["VERSION"] = sys.argv[2]
    for declaration in tree.ext:
        bindings.take(declaration)
    bindings.write(sys.stdout)


main()
