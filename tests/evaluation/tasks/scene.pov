// Mirrors on a chequered floor.
#version 3.7;
global_settings { assumed_gamma 1 }
camera { location <0, 3, -8> look_at <0, 1, 0> }
light_source { <5, 9, -6> rgb 1 }
light_source { <-6, 4, -3> rgb 0.5 }
plane { y, 0 pigment { checker rgb 0.9 rgb 0.2 } finish { reflection 0.2 } }
#declare i = 0;
#while (i < 20)
  sphere {
    <3 * sin(i * 0.7), 0.6 + 0.1 * i, 3 * cos(i * 0.7)>, 0.6
    pigment { rgb <mod(i, 3) / 2, mod(i, 5) / 4, 0.6> }
    finish { reflection 0.3 phong 0.8 }
  }
  #declare i = i + 1;
#end
superellipsoid {
  <0.4, 0.3>
  translate y
  texture { pigment { marble turbulence 0.7 } }
}
