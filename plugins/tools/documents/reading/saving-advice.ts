/** The formats of a document that is not read, and those to save it in. */
export interface SavingAdvice {
  /** The format as people call it, such as `DOC`. */
  kind: string
  format: string
  alternative: string
}

/** The formats to save documents in, by the extensions or names of their formats. */
const ADVICE: readonly [formats: string, format: string, alternative: string][] = [
  ['doc, dot, wps, wpt, wpd, lwp, wri, sxw, stw, sxg, hwp, hwpx, pages, abw, word xml', 'DOCX', 'PDF'],
  [
    'xls, xlt, xla, xlm, xlw, xlsb, et, ett, wk1, wk3, wk4, wks, wb2, qpw, sxc, stc, slk, dif, dbf, numbers, odb, mdb, accdb, excel xml',
    'XLSX',
    'CSV',
  ],
  ['ppt, pps, pot, ppa, dps, dpt, sxi, sti, key', 'PPTX', 'PDF'],
  ['msg, oft, webarchive', 'HTML', 'PDF'],
  ['one, onepkg, pub, xps, oxps, ps, eps, djvu, djv, indd, idml, odf', 'PDF', 'DOCX'],
  ['vsd, vsdx, vdx, vss, vst, odg, otg, fodg, odc, sxd, std, mpp, mpt', 'PDF', 'PPTX'],
  ['mobi, azw, azw3, azw4, kfx, prc, lit, fb2, lrf, ibooks', 'EPUB', 'PDF'],
  ['chm, hlp', 'HTML', 'PDF'],
]
const ADVICE_OF_FORMAT = new Map(
  ADVICE.flatMap(([formats, format, alternative]) =>
    formats.split(', ').map((each) => [each, { format, alternative }] as const),
  ),
)
/** The formats of texts whose characters are not the words that people see. */
const MARKUP = new Set('ps eps svg fb2 slk dif vdx fodg'.split(' '))

/** True if a format is that of a document that is not read. */
export const hasAdvice = (format: string): boolean => ADVICE_OF_FORMAT.has(format) || MARKUP.has(format)

/** True if a format is that of a text whose characters are not the words that people see. */
export const isMarkup = (format: string): boolean => MARKUP.has(format)

/** Returns the name of a format that is not read, and the formats to save its documents in. */
export function findAdvice(format: string): SavingAdvice {
  const kind = /^[a-z0-9][a-z0-9 ]{0,15}$/.test(format) ? format.toUpperCase() : 'BIN'
  return { kind, ...(ADVICE_OF_FORMAT.get(format) ?? { format: 'PDF', alternative: 'DOCX' }) }
}
