/** The longest event; tool arguments that contain a whole file may arrive in one event. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Receives the events of a stream. */
export interface EventListener {
  /** An event with its name, which may be empty, and its data. */
  onEvent(name: string, data: Record<string, unknown>): void
  /** The mark that ends streams of OpenAI. */
  onDone(): void
  /** An event whose data is not JSON or is too long. */
  onBroken(reason: string): void
}

/**
 * Creates a reader of server-sent events. Each event of the Messages API is one line of JSON, so blank lines between
 * events may be missing, and so may the name of the field.
 */
export function createEventLines({ onEvent, onDone, onBroken }: EventListener) {
  let pieces: string[] = []
  let length = 0
  let name = ''
  let data = ''

  function takeData(text: string): void {
    data += data && text ? `\n${text}` : text
    if (data.trim() === '[DONE]') {
      data = ''
      onDone()
      return
    }
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      // The data may continue on the next line.
      return
    }
    emit(value)
  }

  function emit(value: unknown): void {
    const event = name
    name = ''
    data = ''
    if (typeof value === 'object' && value !== null) onEvent(event, value as Record<string, unknown>)
  }

  /** Ends an event at a blank line. */
  function endEvent(): void {
    if (data.trim() !== '') onBroken('The upstream sent an event that is not JSON.')
    else if (name !== '') emit({})
    data = ''
    name = ''
  }

  function takeLine(line: string): void {
    if (line.trim() === '') endEvent()
    else if (line.startsWith('data:')) takeData(line.slice(line[5] === ' ' ? 6 : 5))
    else if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('{')) takeData(line)
  }

  function readLines(text: string, isLast: boolean): void {
    // A carriage return at the end may be the first half of a line end.
    const lines = text.split(/\r\n|\n|\r(?=[^\n])/)
    const tail = isLast ? '' : lines.pop()!
    pieces = tail === '' ? [] : [tail]
    length = tail.length
    for (const line of lines) takeLine(line)
  }

  return {
    feed(text: string): void {
      pieces.push(text)
      length += text.length
      if (length + data.length > MAX_EVENT_CHARS) onBroken('The upstream sent an event that is too long.')
      else if (/[\r\n]/.test(text)) readLines(pieces.join(''), false)
    },
    end(): void {
      readLines(pieces.join(''), true)
      endEvent()
    },
  }
}
