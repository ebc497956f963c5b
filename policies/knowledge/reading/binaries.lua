-- Programs that look into binaries and archives. Those of binutils read more options from a file
-- that an operand @FILE names, and load plugins.
local BINUTILS = '@*'
local RECURSION = ' --recurse-limit --no-recurse-limit --recursion-limit --no-recursion-limit'

return {
  nm = {
    flags = '-A -o --print-file-name -a --debug-syms -B --no-demangle -D --dynamic -e -g '
      .. '--extern-only -h -l --line-numbers --inlines -n -v --numeric-sort -p --no-sort -P '
      .. '--portability -r --reverse-sort -S --print-size -s --print-armap -u --undefined-only -U '
      .. '--defined-only -V -X --size-sort --special-syms --synthetic -W --no-weak '
      .. '--with-symbol-versions --without-symbol-versions --quiet -C --demangle -j '
      .. '--format --just-symbols -x -m' .. RECURSION,
    values = '-f -t --radix --target --ifunc-chars --unicode',
    not_operand = BINUTILS,
  },
  objdump = {
    flags = '--debugging --debugging-tags -d --disassemble -D --disassemble-all --no-addresses '
      .. '--prefix-addresses -f --file-headers -F --file-offsets --file-start-context -h '
      .. '--section-headers --headers -i --info -l --line-numbers -r --reloc -R --dynamic-reloc -s '
      .. '--full-contents -S --source --show-all-symbols --show-raw-insn --no-show-raw-insn '
      .. '--dwarf-check -G --stabs -t --syms -T --dynamic-syms --special-syms -x --all-headers -w '
      .. '--wide -z --disassemble-zeroes -a --archive-headers -g -e -p --private-headers -C '
      .. '--demangle --source-comment --visualize-jumps --dwarf --ctf --sframe --inlines -EB -EL '
      .. '-V -H' .. RECURSION,
    values = '-b --target --endian -j --section -m --architecture -M --disassembler-options '
      .. '-P --private --prefix --prefix-strip --insn-width --disassembler-color --dwarf-depth '
      .. '--dwarf-start --ctf-parent --start-address --stop-address -U --unicode --adjust-vma',
    attached = '-W',
    not_operand = BINUTILS,
  },
  readelf = {
    flags = '-a --all -h --file-header -l --program-headers --segments --quiet -S --sections '
      .. '--section-headers -g --section-groups -t --section-details -s --symbols --syms '
      .. '--dyn-syms --lto-syms --no-demangle -e --headers -n --notes -r --relocs -u --unwind -d '
      .. '--dynamic -V --version-info -A --arch-specific -D --use-dynamic -L --lint '
      .. '--enable-checks -z --decompress -c --archive-index -I --histogram -v -W --wide -T '
      .. '--silent-truncation -H -C --demangle --debug-dump --ctf --got-contents' .. RECURSION,
    values = '--sym-base -U --unicode -x --hex-dump -R --relocated-dump -p --string-dump '
      .. '--dwarf-depth --dwarf-start --ctf-parent --ctf-symbols --ctf-strings',
    attached = '-w',
    not_operand = BINUTILS,
  },
  size = {
    flags = '-A -B -G --common -t --totals -v -V -d -o -x -?',
    values = '--format --radix --target',
    not_operand = BINUTILS,
  },
  ['c++filt'] = {
    flags = '-_ --strip-underscore -n --no-strip-underscore -p --no-params -t --types -i '
      .. '--no-verbose -r -R' .. RECURSION,
    values = '-s --format',
    not_operand = BINUTILS,
  },
  addr2line = {
    flags = '-a --addresses -f --functions -s --basenames -i --inlines -p --pretty-print -r -R -C '
      .. '--demangle -v -H' .. RECURSION,
    values = '-b --target -e --exe -j --section',
    not_operand = BINUTILS,
  },
  -- It starts the program, so that only those of the system are looked at.
  ldd = {
    flags = '-v --verbose -u --unused -d --data-relocs -r --function-relocs',
    operand = { '/usr/bin/*', '/bin/*', '/usr/sbin/*', '/sbin/*', '/usr/lib/*', '/lib/*' },
    not_operand = { '*/../*', '*/..' },
  },
  ['pkg-config pkgconf'] = {
    flags = '--errors-to-stdout --silence-errors --print-errors --list-all --list-package-names '
      .. '--static --shared --pure --exists --uninstalled --cflags --cflags-only-I '
      .. '--cflags-only-other --libs --libs-only-L --libs-only-l --libs-only-other '
      .. '--keep-system-cflags --keep-system-libs --print-variables --print-provides '
      .. '--print-requires --print-requires-private --path --modversion --validate',
    values = '--atleast-pkgconfig-version --atleast-version --exact-version --max-version '
      .. '--define-variable --variable',
  },
  -- Only the listings.
  unzip = {
    flags = '-l -v -Z -1 -q -t -h', needs = '-l -v -Z -t',
  },
  zipinfo = '-1 -2 -s -m -l -v -h -M -t -T -z',
}
