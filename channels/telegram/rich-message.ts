import type { MessageEntity, RichBlock, RichMessage, RichText, User } from 'grammy/types'

/** A rich message as plain text, with the marks that address somebody, and the blocks with files. */
interface RichContent {
  text: string
  entities: MessageEntity[]
  media: object[]
}

/** The marks that may address the bot. */
const ADDRESSES = new Set(['mention', 'text_mention', 'bot_command'])

/** A part of a rich text. Telegram adds types, so only the fields are examined. */
interface RichPart {
  type?: string
  text?: RichText
  expression?: string
  alternative_text?: string
  user?: User
}

/** A block. Telegram adds types, so only the fields are examined. */
interface Block extends RichPart {
  blocks?: RichBlock[]
  items?: { label?: string; is_checked?: boolean; has_checkbox?: boolean; blocks?: RichBlock[] }[]
  cells?: { text?: RichText }[][]
  summary?: RichText
  credit?: RichText
  caption?: RichText | { text?: RichText; credit?: RichText }
  location?: { latitude: number; longitude: number }
}

/** Reads a formatted message: one line for each paragraph, row and item. */
export function readRichMessage({ blocks }: RichMessage): RichContent {
  let text = ''
  const entities: MessageEntity[] = []
  const media: object[] = []

  function write(rich: RichText | undefined): void {
    if (rich === undefined) return
    if (typeof rich === 'string') text += rich
    else if (Array.isArray(rich)) for (const part of rich) write(part)
    else writePart(rich as RichPart)
  }

  function writePart({ type, text: inner, expression, alternative_text, user }: RichPart): void {
    const offset = text.length
    write(inner ?? expression ?? alternative_text)
    if (type !== undefined && ADDRESSES.has(type))
      entities.push({ type, offset, length: text.length - offset, ...(user && { user }) } as MessageEntity)
  }

  function writeLine(...parts: (RichText | undefined)[]): void {
    if (text !== '' && !text.endsWith('\n')) text += '\n'
    for (const part of parts) write(part)
  }

  function writeBlock(block: Block): void {
    const { blocks: inner = [], items = [], cells = [], summary, credit, caption, location } = block
    if (block.text !== undefined || block.expression !== undefined) {
      writeLine()
      writePart(block)
    }
    if (summary !== undefined) writeLine(summary)
    for (const { label, has_checkbox, is_checked, blocks: itemBlocks = [] } of items) {
      writeLine(has_checkbox ? (is_checked ? '[x] ' : '[ ] ') : `${label ?? '-'} `)
      const start = text.length
      for (const itemBlock of itemBlocks) {
        // The first paragraph continues the line of its label.
        if (text.length === start && 'text' in itemBlock) writePart(itemBlock as RichPart)
        else writeBlock(itemBlock as Block)
      }
    }
    for (const row of cells) writeLine(...row.flatMap(({ text }, index) => [index > 0 ? ' | ' : '', text]))
    for (const innerBlock of inner) writeBlock(innerBlock as Block)
    if (location) writeLine(`[location: ${location.latitude}, ${location.longitude}]`)
    if (caption !== undefined) {
      const isText = typeof caption === 'string' || Array.isArray(caption) || 'type' in caption
      writeLine(isText ? (caption as RichText) : (caption as { text?: RichText }).text)
    }
    if (credit !== undefined) writeLine('— ', credit)
    media.push(block)
  }

  for (const block of blocks) writeBlock(block as Block)
  return { text: text.trimEnd(), entities, media }
}
