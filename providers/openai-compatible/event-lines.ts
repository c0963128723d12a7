/** The longest event; tool arguments that contain a whole file arrive in one event. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

/** Receives the events of a stream. */
interface EventListener {
  /** Reads the data of an event; returns false if it is not whole, so that the next line belongs to it as well. */
  onEvent(data: string, name: string): boolean
  /** Called at the end of an event that is not whole. */
  onBroken(data: string): void
  onTooLong(): void
}

/**
 * Creates the reader of the events in one body, whose text arrives in pieces. It accepts every end of a line, a single one between two events, and JSON without a
 * field name, in one line or several, as upstreams send it that were not asked for a stream or report an error in one.
 */
export function createEventLines({ onEvent, onBroken, onTooLong }: EventListener) {
  let name = ''
  /** The lines of an event that is not whole yet. */
  let lines: string[] = []
  let size = 0
  /** The beginning of a line. */
  let waiting = ''
  let endsInReturn = false

  function readLine(line: string): void {
    if (line === '') {
      endEvent()
      name = ''
    } else if (line.startsWith('data:')) readData(line.slice(line.charCodeAt(5) === SPACE ? 6 : 5))
    else if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('{') || line.startsWith('[')) readData(line)
    else if (lines.length > 0 && !FIELD.test(line)) {
      append(line)
      // The last line of JSON that is indented.
      if (line.startsWith('}')) endEvent()
    }
  }

  function readData(data: string): void {
    if (lines.length > 0) append(data)
    else if (data !== '' && !onEvent(data, name)) append(data)
  }

  function append(line: string): void {
    if (lines.length === 0) size = 0
    lines.push(line)
    size += line.length
    if (size > MAX_EVENT_CHARS) onTooLong()
  }

  function endEvent(): void {
    if (lines.length === 0) return
    const data = lines.join('\n')
    lines = []
    if (!onEvent(data, name)) onBroken(data)
  }

  /** Makes every end of a line a line feed. */
  function unify(text: string): string {
    const isRestOfEnd = endsInReturn && text.startsWith('\n')
    endsInReturn = text.endsWith('\r')
    return (isRestOfEnd ? text.slice(1) : text).replace(/\r\n?/g, '\n')
  }

  return {
    add(piece: string): void {
      const text = endsInReturn || piece.includes('\r') ? unify(piece) : piece
      let start = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        if (waiting !== '') readLine(waiting + text.slice(start, end))
        // The usual line, cut only once.
        else if (text.startsWith('data: ', start)) readData(text.slice(start + 6, end))
        else readLine(text.slice(start, end))
        waiting = ''
        start = end + 1
      }
      waiting += text.slice(start)
      if (waiting.length > MAX_EVENT_CHARS) onTooLong()
    },
    /** Reads the last event, after which some upstreams omit the blank line. */
    end(): void {
      const line = waiting
      waiting = ''
      if (line !== '') readLine(line)
      endEvent()
    },
  }
}

const SPACE = 32
const FIELD = /^(?:data|event|id|retry)?:/
