import type { Block } from './blocks.ts'
import type { OpenList } from './opendocument-lists.ts'
import type { Attributes } from './opendocument-styles.ts'

/** A paragraph that is being read; a heading has a level. */
interface Paragraph {
  level: number | undefined
  label: string
  text: string
  isCode: boolean
  isHidden: boolean
  /** The blocks of notes and frames within the paragraph. */
  after: Block[]
}

/** A part of a document with paragraphs of its own: a cell, a frame, a note, or the whole. */
export interface Flow {
  /** The element that it ends with. */
  tag: string
  attributes: Attributes
  blocks: Block[]
  paragraph: Paragraph | undefined
  lists: OpenList[]
  /** The label of the item of a list that begins. */
  label: string
  /** True if a paragraph has the style of a head. */
  isHead: boolean
  /** The notes and comments of a cell. */
  notes: string[]
  /** The author of a comment, or the mark of a note. */
  name: string
}

/** Creates a part of a document. */
export const createFlow = (tag: string, attributes: Attributes): Flow => ({
  tag,
  attributes,
  blocks: [],
  paragraph: undefined,
  lists: [],
  label: '',
  isHead: false,
  notes: [],
  name: '',
})

/** Ends the paragraph of a part, if one is open. */
export function endParagraph(flow: Flow, page: number | undefined): void {
  const { paragraph } = flow
  if (!paragraph) return
  flow.paragraph = undefined
  const { label, text, level, isCode, isHidden, after } = paragraph
  const previous = flow.blocks.at(-1)
  // Each line of code is a paragraph, empty ones included.
  if (isCode && !isHidden && previous?.kind === 'code') previous.text += `\n${text}`
  else if (text.trim() !== '' && !isHidden) {
    const labeled = label ? `${label} ${text.trimStart()}` : text
    if (level === undefined) flow.blocks.push({ kind: isCode ? 'code' : 'text', text: labeled, page })
    else flow.blocks.push({ kind: 'heading', level, text: labeled, page })
  }
  for (const block of after) flow.blocks.push(block)
}

/** Returns the texts of blocks as one line. */
export const joinTexts = (blocks: readonly Block[], separator = ' ') =>
  blocks.map(({ text }) => text.trim()).join(separator)

/** Returns the text of a cell of a document, or of a chart if it shows nothing. */
export const toCellText = ({ blocks, attributes }: Flow): string =>
  (joinTexts(blocks) || (attributes['office:value'] ?? '')).replace(/^NaN$/, '')

/** Returns the text of a cell of a sheet: as it is shown, or its value if it shows none; dates in the form of ISO 8601. */
export function toSheetText({ blocks, attributes }: Flow): string {
  const type = attributes['office:value-type'] ?? attributes['calcext:value-type']
  const date = attributes['office:date-value']
  if (type === 'date' && date) return date.replace('T', ' ').replace(/\.\d+$| 00:00:00.*$/g, '')
  const shown = joinTexts(blocks)
  if (shown !== '') return shown
  if (type === 'boolean') return (attributes['office:boolean-value'] ?? '').toUpperCase()
  return attributes['office:string-value'] ?? attributes['office:value'] ?? ''
}
