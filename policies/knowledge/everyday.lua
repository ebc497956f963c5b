-- Programs of everyday work that need no table of their own elsewhere: they read what they are
-- given,
-- and write where they are told.
return {
  ['ffmpeg'] = {
    single_dash_long = true,
    values = '-i -c -c:v -c:a -vcodec -acodec -b:v -b:a -r -s -ss -t -to -vf -af -filter_complex '
      .. '-f -map -crf -preset -pix_fmt -loglevel -framerate -ar -ac -an -frames:v -movflags '
      .. '-threads -q:v -vframes',
    reads = '-i',
    writes = 'last',
  },
  ['ffprobe mediainfo exiftool identify pdfinfo pdffonts pdfimages sox soxi'] = {
    single_dash_long = true,
    reads = 'operands',
  },
  ['convert magick mogrify composite montage rsvg-convert inkscape cwebp dwebp pngquant optipng '
    .. 'jpegoptim svgo gs qpdf pdftk pdftotext pdftoppm dot neato plantuml'] = {
    single_dash_long = true,
    values = '-resize -quality -density -o -O -T -r --output --export-filename -f -l -background '
      .. '-crop -gravity -format',
    reads = 'operands',
    writes = { 'last', '-o -O --output --export-filename' },
  },
  ['asciidoctor latexmk bibtex biber typst mdbook mmdc'] = {
    single_dash_long = true,
    values = '-o --output -output-directory -outdir --filter --lua-filter -F -L',
    reads = 'operands',
    writes = '-o --output -output-directory -outdir',
    executes = '--filter --lua-filter -F -L',
  },
}
