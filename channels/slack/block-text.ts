import { escapeText } from './blocks.ts'

/** The subset of a block used here, and of the elements in it. */
export interface BlockParts {
  type?: string
  text?: string | BlockParts
  title?: string | BlockParts
  alt_text?: string
  elements?: BlockParts[]
  fields?: BlockParts[]
  rows?: BlockParts[][]
  style?: unknown
  indent?: number
  url?: string
  user_id?: string
  channel_id?: string
  usergroup_id?: string
  range?: string
  name?: string
  value?: string
  timestamp?: number
  fallback?: string
}

/** Returns the text of blocks in Slack's own markup, which `readText` reads. */
export const toMarkup = (blocks: readonly BlockParts[]): string =>
  blocks.map(readBlock).filter(Boolean).join('\n')

function readBlock(block: BlockParts): string {
  const { type, text, title, fields = [], elements = [], rows = [], alt_text } = block
  switch (type) {
    case 'rich_text':
      return elements.map(readRichText).join('\n')
    case 'markdown':
      return typeof text === 'string' ? escapeText(text) : ''
    case 'section':
    case 'header':
      return [text, ...fields].map(readTextObject).filter(Boolean).join('\n')
    case 'context':
      return elements.map((element) => describeImage(element) ?? readTextObject(element)).join(' ')
    case 'actions':
      return elements.map(({ text: label }) => `[${readTextObject(label)}]`).join(' ')
    case 'table':
      return rows.map((row) => row.map(readCell).join(' | ')).join('\n')
    case 'image':
    case 'video':
      return `[${type}: ${readTextObject(title) || escapeText(alt_text ?? '')}]`
    default:
      return ''
  }
}

const describeImage = ({ type, alt_text = '' }: BlockParts) =>
  type === 'image' ? `[image: ${escapeText(alt_text)}]` : undefined

function readTextObject(object: BlockParts['text']): string {
  if (typeof object !== 'object' || typeof object.text !== 'string') return ''
  return object.type === 'mrkdwn' ? object.text : escapeText(object.text)
}

const readCell = (cell: BlockParts) =>
  cell.type === 'rich_text' ? readBlock(cell) : typeof cell.text === 'string' ? escapeText(cell.text) : ''

/** Reads a paragraph, list, quote or code block of a rich text. */
function readRichText({ type, elements = [], style, indent = 0 }: BlockParts): string {
  switch (type) {
    case 'rich_text_list': {
      const margin = '  '.repeat(indent)
      return elements
        .map((item, index) => margin + (style === 'ordered' ? `${index + 1}. ` : '- ') + readRichText(item))
        .join('\n')
    }
    case 'rich_text_quote':
      return readElements(elements).replace(/^/gm, '&gt; ')
    case 'rich_text_preformatted':
      return `\`\`\`\n${readElements(elements)}\n\`\`\``
    default:
      return readElements(elements)
  }
}

const readElements = (elements: readonly BlockParts[]) => elements.map(readElement).join('')

function readElement(element: BlockParts): string {
  const { type, url, fallback, timestamp = 0, name = '', value = '' } = element
  const text = typeof element.text === 'string' ? escapeText(element.text) : ''
  switch (type) {
    case 'text':
      return (element.style as { code?: boolean } | undefined)?.code ? `\`${text}\`` : text
    case 'link':
      return text ? `<${url}|${text}>` : `<${url}>`
    case 'user':
      return `<@${element.user_id}>`
    case 'channel':
      return `<#${element.channel_id}>`
    case 'usergroup':
      return `<!subteam^${element.usergroup_id}>`
    case 'broadcast':
      return `<!${element.range}>`
    case 'emoji':
      return `:${name}:`
    case 'date':
      return escapeText(fallback ?? new Date(timestamp * 1000).toISOString())
    case 'color':
      return value
    default:
      return text
  }
}
