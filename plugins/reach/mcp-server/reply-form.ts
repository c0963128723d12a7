import type { Clock, Locale } from '#plugin-api'
import type { Progress } from './ask.ts'
import { say } from './phrases.ts'

/** The media types that the library requires of each client. */
const BOTH = 'application/json, text/event-stream'

/** The forms of a reply that a client accepts. */
export interface AcceptedForms {
  /** The header as the library accepts it; unchanged if the client accepts neither form. */
  accept: string
  /** True for a client that accepts JSON alone. */
  isJsonOnly: boolean
}

/** Reads the header with the media types that a client accepts; without the header, a client accepts all. */
export function readAccept(header: string | string[] | undefined): AcceptedForms {
  const written = [header ?? ''].flat().join(',')
  const ranges = written
    .split(',')
    .map((range) => range.trim().toLowerCase())
    .filter((range) => range !== '' && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range))
    .map((range) => range.split(';')[0]!.trim())
  const accepts = (...types: string[]) => types.some((type) => ranges.includes(type))
  const acceptsAll = written.trim() === '' || accepts('*/*', '*')
  const acceptsJson = acceptsAll || accepts('application/json', 'application/*')
  const acceptsStream = acceptsAll || accepts('text/event-stream', 'text/*')
  return {
    accept: acceptsJson || acceptsStream ? BOTH : written,
    isJsonOnly: acceptsJson && !acceptsStream,
  }
}

/**
 * Converts a reply of events to the JSON of its answers, a list of them for a list of messages. Notes of progress, which
 * come before, are left out.
 */
export async function toJsonReply(response: Response, isList: boolean): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data:'))
  const messages = lines.flatMap((line): object[] => {
    const data = line.slice('data:'.length).trim()
    return data === '' ? [] : [JSON.parse(data)]
  })
  const answers = messages.filter((message) => 'result' in message || 'error' in message)
  const headers = new Headers(response.headers)
  headers.set('content-type', 'application/json')
  return Response.json(isList ? answers : (answers[0] ?? null), { status: response.status, headers })
}

/** The least time between two notifications about a growing text, in milliseconds. */
const WRITING_MS = 1000

/** Creates a function that reports the news of a turn in words, each with a higher number. */
export function createProgress(
  { clock, locale }: { clock: Clock; locale: Locale },
  send: (progress: number, message: string) => void,
): (news: Progress) => void {
  let count = 0
  let progress = 0
  let last = Number.NEGATIVE_INFINITY
  const report = (message: string) => send(++progress, message)

  return (news) => {
    if (news.type === 'queued') return report(say('queued', locale, { position: news.position }))
    const { event } = news
    switch (event.type) {
      case 'turn_started':
        return report(say('started', locale))
      case 'tool_call':
        return report(say('calls', locale, { name: event.frame.name }))
      case 'tool_progress':
        return report(event.frame.content)
      case 'content': {
        count += event.frame.content.length
        if (clock.now() - last < WRITING_MS) return
        last = clock.now()
        report(say('writes', locale, { count }))
      }
    }
  }
}
