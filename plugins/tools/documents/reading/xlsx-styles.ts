import type { Archive } from './archive.ts'
import { builtInFormat, createFormatter, type ValueFormatter } from './number-format.ts'
import { readXml } from './xml.ts'

/** The parts of a cell's style that matter to its text. */
export interface CellStyle {
  format: ValueFormatter
  isBold: boolean
}

const isOn = (value = '1') => value !== '0' && value !== 'false'

/** Returns the styles of a workbook's cells, by their numbers. */
export function readStyles(archive: Archive, name: string, is1904: boolean): (index: number) => CellStyle {
  const codes = new Map<number, string>()
  const boldFonts: boolean[] = []
  const styles: CellStyle[] = []
  const formatters = new Map<string, ValueFormatter>()
  const formatterOf = (code: string) => {
    const formatter = formatters.get(code) ?? createFormatter(code, { is1904 })
    formatters.set(code, formatter)
    return formatter
  }
  let list = ''
  readXml(archive, name, {
    open(tag, attributes) {
      if (tag === 'fonts' || tag === 'cellXfs' || tag === 'dxfs' || tag === 'cellStyleXfs') list = tag
      else if (tag === 'numFmt' && list !== 'dxfs')
        codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '')
      else if (tag === 'font' && list === 'fonts') boldFonts.push(false)
      else if (tag === 'b' && list === 'fonts') boldFonts[boldFonts.length - 1] = isOn(attributes.val)
      else if (tag === 'xf' && list === 'cellXfs') {
        const id = Number(attributes.numFmtId ?? 0)
        const code = codes.get(id) ?? builtInFormat(id)
        styles.push({ format: formatterOf(code), isBold: boldFonts[Number(attributes.fontId ?? 0)] ?? false })
      }
    },
    close(tag) {
      if (tag === list) list = ''
    },
  })
  const plain = { format: formatterOf('General'), isBold: false }
  return (index) => styles[index] ?? plain
}
