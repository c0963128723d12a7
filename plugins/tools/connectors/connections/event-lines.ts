/**
 * Returns a stream of server-sent events whose data `readData` has read, and which ends with a whole event. Comments
 * are left out. `readData` returns undefined for data that is no message, which stays as it is.
 */
export function readEvents(
  readData: (data: string) => string | undefined,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let line = ''
  let endsWithReturn = false
  let fields: string[] = []
  let data: string[] | undefined

  const addData = (text: string) => {
    data ??= []
    data.push(text)
  }
  const takeEvent = (): string => {
    const eventFields = fields
    const text = data?.join('\n')
    fields = []
    data = undefined
    if (text === undefined && eventFields.length === 0) return ''
    const message = text ? readData(text) : undefined
    // The library hears of messages only by the usual name of an event.
    const head =
      message === undefined ? eventFields : eventFields.filter((field) => !field.startsWith('event:'))
    const body = (message ?? text ?? '').split('\n').map((part) => `data: ${part}`)
    return `${[...head, ...body].join('\n')}\n\n`
  }
  const takeLine = (): string => {
    const whole = line
    line = ''
    if (whole === '') return takeEvent()
    // Some servers write messages without the name of the field.
    if (whole.startsWith('{')) addData(whole)
    else if (/^data(?::|$)/.test(whole)) addData(whole.slice(5).replace(/^ /, ''))
    else if (!whole.startsWith(':')) fields.push(whole)
    return ''
  }
  const take = (text: string): string => {
    let written = ''
    // A line ends with a line feed, a carriage return, or both.
    const parts = (endsWithReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\r|\n/)
    endsWithReturn = text === '' ? endsWithReturn : text.endsWith('\r')
    for (const [index, part] of parts.entries()) {
      if (index > 0) written += takeLine()
      line += part
    }
    return written
  }

  return new TransformStream({
    transform(chunk, controller) {
      const written = take(decoder.decode(chunk, { stream: true }))
      if (written) controller.enqueue(encoder.encode(written))
    },
    flush(controller) {
      const written = take(`${decoder.decode()}\n\n`)
      if (written) controller.enqueue(encoder.encode(written))
    },
  })
}
