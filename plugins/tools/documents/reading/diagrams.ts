import type { Archive } from './archive.ts'
import type { Block } from './blocks.ts'
import { readXml } from './xml.ts'

/** The points of a diagram that contain what a person wrote; others are for its layout. */
const CONTENT = new Set(['node', 'doc', 'asst'])

/**
 * Returns the texts of a diagram (SmartArt) in the order of its model, each point before those below it; `drawing` is
 * the file with its shapes, whose texts are read if the model has none.
 */
export function readDiagram(
  archive: Archive,
  { model, drawing }: { model: string; drawing?: string | undefined },
  page?: number,
): Block[] {
  const texts = readModel(archive, model)
  const all = texts.length > 0 || !drawing ? texts : readParagraphs(archive, drawing)
  return all.map((text) => ({ kind: 'text', text, page }))
}

function readModel(archive: Archive, name: string): string[] {
  const points = new Map<string, { isContent: boolean; text: string }>()
  const children = new Map<string, { id: string; order: number }[]>()
  let point = { isContent: false, text: '' }
  let isText = false
  readXml(archive, name, {
    open(tag, attributes) {
      if (tag === 'pt') {
        point = { isContent: CONTENT.has(attributes.type ?? 'node'), text: '' }
        points.set(attributes.modelId ?? '', point)
      } else if (tag === 'cxn' && (attributes.type ?? 'parOf') === 'parOf') {
        const { srcId = '', destId = '', srcOrd = '0' } = attributes
        const list = children.get(srcId) ?? []
        children.set(srcId, list)
        list.push({ id: destId, order: Number(srcOrd) })
      } else if (tag === 't') isText = true
      else if (tag === 'br') point.text += '\n'
    },
    text(text) {
      if (isText) point.text += text
    },
    close(tag) {
      // The element of a text and that of its body have the same name.
      if (tag === 't') isText = false
      else if (tag === 'p') point.text += '\n'
    },
  })

  const order: string[] = []
  const visited = new Set<string>()
  const below = new Set([...children.values()].flatMap((list) => list.map(({ id }) => id)))
  const open = [...points.keys()].filter((id) => !below.has(id)).reverse()
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (visited.has(id)) continue
    visited.add(id)
    order.push(id)
    const list = (children.get(id) ?? []).sort((one, other) => other.order - one.order)
    for (const child of list) open.push(child.id)
  }
  return [...order, ...points.keys()].flatMap((id, index) => {
    const { isContent, text } = points.get(id) ?? { isContent: false, text: '' }
    const isRepeated = index >= order.length && visited.has(id)
    return isContent && !isRepeated && text.trim() !== '' ? [text] : []
  })
}

/** Returns the paragraphs of the shapes of a file. */
function readParagraphs(archive: Archive, name: string): string[] {
  const paragraphs: string[] = []
  let text = ''
  let isText = false
  readXml(archive, name, {
    open(tag) {
      if (tag === 't') isText = true
    },
    text(part) {
      if (isText) text += part
    },
    close(tag) {
      if (tag === 't') isText = false
      else if (tag === 'p') {
        if (text.trim() !== '') paragraphs.push(text)
        text = ''
      }
    },
  })
  return paragraphs
}
