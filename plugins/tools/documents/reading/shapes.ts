import { toAltText } from './alt-text.ts'
import type { Archive } from './archive.ts'
import type { Block } from './blocks.ts'
import { readChart } from './charts.ts'
import { readDiagram } from './diagrams.ts'
import { createEquationCollector } from './equation-collector.ts'
import { type Box, toReadingOrder } from './reading-order.ts'
import { type Cell, toRows } from './tables.ts'
import { attributeOf, readRelations, readXml } from './xml.ts'

/** A shape of a slide or a sheet with its text, or a group of shapes. */
export interface Shape {
  box?: Box
  /** The kind and the number of the placeholder that it fills. */
  placeholder?: { type: string; number: string }
  isHidden: boolean
  blocks: Block[]
  /** The shapes of a group. */
  shapes: Shape[]
}

const SHAPES = new Set(['sp', 'pic', 'graphicFrame', 'grpSp', 'cxnSp'])

/** Placeholders that are on every slide: numbers, dates, heads, feet, and the picture in notes. */
const REPEATED = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

/** Returns the text of a shape and of the shapes in it. */
export function listBlocks({ isHidden, placeholder, blocks, shapes }: Shape): Block[] {
  if (isHidden || (placeholder && REPEATED.has(placeholder.type))) return []
  return [...blocks, ...toReadingOrder(shapes.filter(hasText)).flatMap(listBlocks)]
}

/** Returns the shapes of a slide, a layout, a page of notes or a sheet's drawing in the order of the file. */
export function readShapes(
  archive: Archive,
  name: string,
  page?: number,
): { shapes: Shape[]; isHidden: boolean } {
  const relations = readRelations(archive, name)
  const targets = new Map(relations.map(({ id, target }) => [id, target]))
  const drawings = relations.filter(({ type }) => type === 'diagramDrawing')
  const root = createShape()
  const open = [root]
  const shape = () => open.at(-1)!
  let isHidden = false
  let isPlace = false
  let description = ''
  let fallback = 0
  let paragraph = ''
  const equations = createEquationCollector()
  let isText = false
  let isNumber = false
  let rows: Cell[][] | undefined
  let isMerged = false
  let heads: { isFirstRow: boolean; isFirstColumn: boolean } = { isFirstRow: false, isFirstColumn: false }

  const target = (attributes: Readonly<Record<string, string>>, key: string) =>
    targets.get(attributeOf(attributes, key) ?? '')
  const addCell = (attributes: Readonly<Record<string, string>>) => {
    const row = rows?.at(-1)
    isMerged = isOn(attributes.hMerge) || isOn(attributes.vMerge)
    if (!row || isMerged) return
    const isHead = (heads.isFirstRow && rows!.length === 1) || (heads.isFirstColumn && row.length === 0)
    row.push({
      text: '',
      columns: Math.max(1, Number(attributes.gridSpan ?? 1) || 1),
      rows: Math.max(1, Number(attributes.rowSpan ?? 1) || 1),
      ...(isHead && { isHead }),
    })
  }
  const endParagraph = () => {
    const cell = rows?.at(-1)?.at(-1)
    if (cell) cell.text += isMerged ? '' : `${paragraph}\n`
    else if (!rows) shape().blocks.push({ kind: 'text', text: paragraph, page })
    paragraph = ''
  }

  readXml(archive, name, {
    open(tag, attributes) {
      if (tag === 'Fallback') fallback += 1
      if (fallback > 0 || equations.open(tag, attributes)) return
      if (SHAPES.has(tag)) {
        const child = createShape()
        description = ''
        shape().shapes.push(child)
        open.push(child)
      } else if (tag === 'sld') isHidden = attributes.show === '0' || attributes.show === 'false'
      else if (tag === 'cNvPr') {
        shape().isHidden = isOn(attributes.hidden)
        description = toAltText(attributes.descr)
      } else if (tag === 'ph')
        shape().placeholder = { type: attributes.type ?? 'obj', number: attributes.idx ?? '0' }
      else if (tag === 'xfrm') isPlace = true
      else if (tag === 'off' && isPlace)
        shape().box = { left: Number(attributes.x), top: Number(attributes.y), width: 0, height: 0 }
      else if (tag === 'ext' && isPlace && shape().box)
        Object.assign(shape().box!, { width: Number(attributes.cx), height: Number(attributes.cy) })
      else if (tag === 'tbl') rows = []
      else if (tag === 'tblPr')
        heads = { isFirstRow: isOn(attributes.firstRow), isFirstColumn: isOn(attributes.firstCol) }
      else if (tag === 'tr') rows?.push([])
      else if (tag === 'tc') addCell(attributes)
      else if (tag === 't') isText = true
      else if (tag === 'br') paragraph += '\n'
      else if (tag === 'fld') isNumber = attributes.type === 'slidenum'
      else if (tag === 'chart') {
        const chart = target(attributes, 'id')
        if (chart) shape().blocks.push(...readChart(archive, chart, page))
      } else if (tag === 'relIds') {
        const model = target(attributes, 'dm')
        if (model)
          shape().blocks.push(...readDiagram(archive, { model, drawing: drawings.shift()?.target }, page))
      }
    },
    text(text) {
      if (fallback > 0 || equations.text(text)) return
      if (isText && !isNumber) paragraph += text.replaceAll('\v', '\n')
    },
    close(tag) {
      if (tag === 'Fallback') fallback -= 1
      if (tag === 'Fallback' || fallback > 0) return
      const equation = equations.close()
      if (equation !== undefined) {
        paragraph += equation
        return
      }
      if (SHAPES.has(tag)) {
        if (description && !hasText(shape())) shape().blocks.push({ kind: 'text', text: description, page })
        description = ''
        open.pop()
      } else if (tag === 't') isText = false
      else if (tag === 'fld') isNumber = false
      else if (tag === 'xfrm') isPlace = false
      else if (tag === 'p') endParagraph()
      else if (tag === 'tbl' && rows) {
        shape().blocks.push(...toRows(rows, { page }))
        rows = undefined
      }
    },
  })
  // A file may have text outside of shapes.
  return { shapes: [...root.shapes, { ...root, shapes: [] }], isHidden }
}

const isOn = (value = '0') => value === '1' || value === 'true'

/** True if a shape, or one of those in it, contains text. */
export const hasText = ({ blocks, shapes }: Shape): boolean =>
  blocks.some(({ text }) => text.trim() !== '') || shapes.some(hasText)

const createShape = (): Shape => ({ isHidden: false, blocks: [], shapes: [] })
