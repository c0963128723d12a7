import { format, getFormatDateInfo, isDateFormat } from 'numfmt'

/** The longest number format of the standard. */
const MAX_FORMAT_CHARS = 255
/** The days between the first days of the two calendars of workbooks. */
const DAYS_TO_1904 = 1462
/** The largest whole number whose digits are all certain. */
const MAX_CERTAIN = 1e15

/** Number formats that files name by number alone, as they are in the United States. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  32: 'h:mm',
  33: 'h:mm:ss',
  37: '#,##0_);(#,##0)',
  38: '#,##0_);(#,##0)',
  39: '#,##0.00_);(#,##0.00)',
  40: '#,##0.00_);(#,##0.00)',
  41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
  42: '_($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
  44: '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
}

/** A fraction of more digits than any cell shows, which takes long to find. */
const LONG_FRACTION = /\/ *[?#0]{8}/

/** The numbers of formats that are dates in some languages and times in others. */
const EAST_ASIAN_TIMES = new Set([34, 35, 55, 56])
const EAST_ASIAN_TIME = '[<1]h:mm;yyyy-mm-dd'

/** Returns the number format that a file names by a number, which is `General` if it is not known. */
export function builtInFormat(id: number): string {
  if (EAST_ASIAN_TIMES.has(id)) return EAST_ASIAN_TIME
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return BUILT_IN[id] ?? 'yyyy-mm-dd'
  return BUILT_IN[id] ?? 'General'
}

/** Returns the text of a value as a cell shows it. */
export type ValueFormatter = (value: number | string) => string

/**
 * Creates the formatter of a number format of Office programs. A date is written as `2024-03-31` whatever its format,
 * because other forms are ambiguous and not found by a search. Decimals follow a point in all languages, because a file
 * does not tell the language of most numbers.
 */
export function createFormatter(code: string, { is1904 = false } = {}): ValueFormatter {
  if (code.length > MAX_FORMAT_CHARS || LONG_FRACTION.test(code) || /^(general)?$/i.test(code))
    return toGeneral
  if (code === '@') return (value) => (typeof value === 'string' ? value : toGeneral(value))
  try {
    if (isDateFormat(code)) return createDateFormatter(code, is1904 ? DAYS_TO_1904 : 0)
    // The language of a currency would change the separators of its numbers alone.
    const plain = code.replace(/\[\$([^\]-]*)-[^\]]*\]/g, (_, sign: string) =>
      sign === '' ? '' : `[$${sign}]`,
    )
    format(plain, 0)
    return (value) => format(plain, value)
  } catch {
    // An unknown format is no damage: the program that wrote it may know more.
    return toGeneral
  }
}

function toGeneral(value: number | string): string {
  if (typeof value === 'string') return value
  // A long number is a key, such as that of an article, and not shortened as in a narrow cell.
  if (Number.isInteger(value) && Math.abs(value) < MAX_CERTAIN) return String(value)
  return format('General', value)
}

function createDateFormatter(code: string, offset: number): ValueFormatter {
  const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(code)
  const date = toDatePattern({ year, month, day })
  const time = hours || minutes ? `hh:mm${seconds ? ':ss' : ''}` : ''
  const pattern = date && `${date} ${time}`.trim()
  return (value) => {
    if (typeof value === 'string') return format(code, value)
    const days = year || month || day ? value + offset : value
    const shown = format(code, days)
    // A section of the format may hide a value; another one may show a number.
    if (!pattern || shown.trim() === '' || code.includes('[<')) return shown
    const text = format(pattern, days)
    return /^\d{4}(?!\d)/.test(text) ? text : toGeneral(value)
  }
}

function toDatePattern({ year, month, day }: { year: boolean; month: boolean; day: boolean }): string {
  if (year && !day) return month ? 'yyyy-mm' : 'yyyy'
  return (year || month) && day ? 'yyyy-mm-dd' : ''
}
