import { parseObject, toFilledText } from '#toolbox'
import { readCard } from './card-content.ts'
import { describeMessage } from './message-description.ts'
import { readPost } from './post-content.ts'

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
