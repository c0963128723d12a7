import { isObject, toFilledText, toScalarText } from '#toolbox'
import { type Fields, readPost } from './message-content.ts'

/** The number of options of a poll that are listed. */
const MAX_OPTIONS = 50

/** Describes a message that is neither text nor file in one line of brackets; undefined if its content says nothing. */
export function describeMessage(type: string, fields: Fields): string | undefined {
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
