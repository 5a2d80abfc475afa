# Writes OUTPUT, a C++ file that holds the text of SOURCE: what a bench is held against must not depend on where the workbook lies.
file(READ ${SOURCE} text)
set(code "#include \"judge/gpu/copies.hpp\"\n\nnamespace warpbook::gpu {\n\nconst char* copies_source() {\n  return\n")
string(LENGTH "${text}" length)
set(at 0)
while(at LESS length)
  # Compilers need not take longer raw strings.
  string(SUBSTRING "${text}" ${at} 4000 piece)
  string(APPEND code "      R\"copies(${piece})copies\"\n")
  math(EXPR at "${at} + 4000")
endwhile()
file(WRITE ${OUTPUT} "${code}      ;\n}\n\n}  // namespace warpbook::gpu\n")
