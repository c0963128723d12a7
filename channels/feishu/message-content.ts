import { isObject, parseObject, toFilledText, toScalarText } from '#plugin-api'

/** A file in a message, with the key for its download. */
export interface Resource {
  key: string
  type: 'image' | 'file'
  filename?: string
}

/** The text and the files of a message. */
export interface Content {
  text: string
  resources: Resource[]
  /** Names content without readable text or files. */
  unreadable?: string
}

/** The fields of a message's content. */
export type Fields = Record<string, unknown>

/** Creates the content of a message without files. */
const toContent = (text: string): Content => ({ text, resources: [] })

/** Creates the content that only a name is known of. */
const toUnreadable = (name: string): Content => ({ text: '', resources: [], unreadable: name })

/** Reads the content of a message: JSON whose form depends on the type. Mentions stay as keys. */
export function readContent(type: string, json: unknown): Content {
  const fields = parseObject(json) ?? {}
  return READERS.get(type)?.(fields) ?? toUnreadable(NAMES.get(type) ?? toName(type))
}

/** Returns the name of a type for people. */
const toName = (type: string): string =>
  /^[a-z]\w{0,39}$/i.test(type) ? type.replaceAll('_', ' ') : 'message'

/** Returns the text of a content, with a mark for each file and for what cannot be read. */
export function describeContent({ text, resources, unreadable }: Content): string {
  const files = resources.map(({ type, filename }) => (filename ? `[${type}: ${filename}]` : `[${type}]`))
  return [text, ...files, ...(unreadable ? [`[${unreadable}]`] : [])].filter(Boolean).join('\n')
}

const fileReader =
  (fallback?: string) =>
  ({ file_key, file_name }: Fields): Content | undefined => {
    const key = toFilledText(file_key)
    const filename = toFilledText(file_name) ?? fallback
    return key ? { text: '', resources: [{ key, type: 'file', ...(filename && { filename }) }] } : undefined
  }

const describe = (type: string) => (fields: Fields) => {
  const text = describeMessage(type, fields)
  return text === undefined ? undefined : toContent(text)
}

const READERS = new Map<string, (fields: Fields) => Content | undefined>(
  Object.entries({
    text: ({ text }) => (typeof text === 'string' ? toContent(text) : undefined),
    image({ image_key }) {
      const key = toFilledText(image_key)
      return key ? { text: '', resources: [{ key, type: 'image' }] } : undefined
    },
    file: fileReader(),
    audio: fileReader('voice.opus'),
    media: fileReader('video.mp4'),
    post: readPost,
    interactive(fields) {
      const text = readCard(fields)
      return text === undefined ? undefined : toContent(text)
    },
    location: describe('location'),
    share_chat: describe('share_chat'),
    share_user: describe('share_user'),
    share_calendar_event: describe('calendar'),
    calendar: describe('calendar'),
    general_calendar: describe('calendar'),
    video_chat: describe('video_chat'),
    todo: describe('todo'),
    vote: describe('vote'),
    hongbao: describe('hongbao'),
    folder: describe('folder'),
    system: describe('system'),
  }),
)

/** Names of types that people would not recognize. */
const NAMES = new Map([
  ['interactive', 'card'],
  ['merge_forward', 'forwarded messages'],
  ['post', 'rich text'],
  ['media', 'video'],
  ['vote', 'poll'],
])

/** Deeper than the elements of any card. */
const MAX_DEPTH = 10

/** The platform's text in place of a card that it does not return. */
const UPGRADE_NOTE = '请升级至最新版本客户端，以查看内容'

/** Reads a card: its texts, one per line, without its buttons. Undefined if it has none. */
function readCard(fields: Fields): string | undefined {
  // The API returns the card as it was sent as a text in one of these fields.
  const card = parseObject(fields.user_dsl) ?? parseObject(fields.json_card) ?? fields
  const text = listTexts(card).join('\n')
  return text.trim() === '' || text.includes(UPGRADE_NOTE) ? undefined : text
}

/** Fields with texts or elements, in the order in which a card shows them. */
const PARTS = [
  'header',
  'title',
  'subtitle',
  'body',
  'i18n_elements',
  'elements',
  'columns',
  'fields',
  'text',
  'content',
]

function listTexts(node: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(node)) return node.flatMap((item) => listTexts(item, depth + 1))
  if (!isObject(node) || node.tag === 'button') return []
  return PARTS.flatMap((name) => {
    const part = name === 'i18n_elements' ? firstLanguage(node[name]) : node[name]
    return typeof part === 'string' ? (part === '' ? [] : [part]) : listTexts(part, depth + 1)
  })
}

/** Returns the elements in one language: the others say the same. */
const firstLanguage = (byLanguage: unknown): unknown =>
  isObject(byLanguage) ? Object.values(byLanguage)[0] : undefined

/** Reads a rich text: paragraphs of elements, possibly below a language key. */
function readPost(fields: Fields): Content | undefined {
  const post = Array.isArray(fields.content) ? fields : Object.values(fields).find(isObject)
  if (!post || !Array.isArray(post.content)) return undefined
  const resources: Resource[] = []
  const paragraphs = post.content.filter(Array.isArray).map((elements) =>
    elements
      .filter(isObject)
      .map((element) => readElement(element, resources))
      .join(''),
  )
  return { text: [toFilledText(post.title), ...paragraphs].filter(Boolean).join('\n'), resources }
}

function readElement(element: Fields, resources: Resource[]): string {
  const { tag, href, user_id, user_name, emoji_type, language, file_name } = element
  const text = toFilledText(element.text) ?? ''
  const image = toFilledText(element.image_key)
  const file = toFilledText(element.file_key)
  switch (tag) {
    case 'a':
      return toFilledText(href) ? `[${text || href}](${href})` : text
    case 'at':
      return toFilledText(user_id)?.startsWith('@_')
        ? String(user_id)
        : `@${toFilledText(user_name) ?? toFilledText(user_id) ?? 'all'}`
    case 'img':
      if (image) resources.push({ key: image, type: 'image' })
      return text
    case 'media':
      if (file) resources.push({ key: file, type: 'file', filename: toFilledText(file_name) ?? 'video.mp4' })
      return text
    case 'code_block':
      return `\`\`\`${toFilledText(language)?.toLowerCase() ?? ''}\n${text.trimEnd()}\n\`\`\``
    case 'emotion':
      return toFilledText(emoji_type) ? `[${emoji_type}]` : ''
    case 'hr':
      return '---'
    default: {
      if (file) {
        const filename = toFilledText(file_name)
        resources.push({ key: file, type: 'file', ...(filename && { filename }) })
      } else if (image) resources.push({ key: image, type: 'image' })
      return text
    }
  }
}

/** The number of options of a poll that are listed. */
const MAX_OPTIONS = 50

/** Describes a message that is neither text nor file in one line of brackets; undefined if its content says nothing. */
function describeMessage(type: string, fields: Fields): string | undefined {
  const words = DESCRIPTIONS[type]?.(fields)
  return words === undefined ? undefined : `[${words}]`
}

const DESCRIPTIONS: Record<string, (fields: Fields) => string | undefined> = {
  location({ name, latitude, longitude }) {
    const point = [latitude, longitude].map(toScalarText).filter(Boolean).join(', ')
    return label('location', toFilledText(name), point)
  },
  share_chat: ({ chat_id, chat_name }) =>
    label('shared group', toFilledText(chat_name), toFilledText(chat_id)),
  share_user: ({ user_id, user_name }) =>
    label('shared contact', toFilledText(user_name), toFilledText(user_id)),
  calendar: ({ summary, start_time, end_time }) =>
    label(
      'calendar event',
      toFilledText(summary),
      [start_time, end_time].map(toTime).filter(Boolean).join(' to '),
    ),
  video_chat: ({ topic, start_time }) => label('video meeting', toFilledText(topic), toTime(start_time)),
  todo({ summary, due_time }) {
    const due = toTime(due_time)
    const title = isObject(summary)
      ? (readPost(summary)?.text ?? toFilledText(summary.title))
      : toFilledText(summary)
    return label('task', title, due && `due ${due}`)
  },
  vote({ topic, options }) {
    const choices = (Array.isArray(options) ? options : [])
      .slice(0, MAX_OPTIONS)
      .map(toScalarText)
      .filter(Boolean)
    return label('poll', toFilledText(topic), choices.length > 0 ? `options: ${choices.join(' / ')}` : '')
  },
  hongbao: ({ text }) =>
    label('red envelope', toFilledText(text)?.replace(/^\[(.*)\]$/, '$1')) ?? 'red envelope',
  folder: ({ file_name }) => label('folder', toFilledText(file_name)),
  system({ template, ...values }) {
    const words = toFilledText(template)?.replace(/\{(\w+)\}/g, (_, name: string) => listNames(values[name]))
    return label('system message', words)
  },
}

/** Joins a name and the parts that are known; undefined if none is. */
function label(name: string, ...parts: (string | undefined)[]): string | undefined {
  const words = parts.filter(Boolean).map((part) => part!.replace(/\s+/g, ' ').trim())
  return words.length > 0 ? `${name}: ${words.join(', ')}` : undefined
}

const listNames = (value: unknown): string =>
  Array.isArray(value) ? value.map(toScalarText).filter(Boolean).join(', ') : toScalarText(value)

/** Writes Unix milliseconds as a date and time of UTC; empty for values that are no time. */
function toTime(value: unknown): string {
  const time = new Date(Number(toScalarText(value)) || Number.NaN)
  return Number.isNaN(time.getTime()) ? '' : `${time.toISOString().slice(0, 16)}Z`
}
