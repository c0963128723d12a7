/** The longest event; Feishu's are a few hundred kilobytes at most. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024

/** Limits of the incomplete events in memory; the oldest one is dropped first. */
const MAX_EVENTS = 64
const MAX_TOTAL_BYTES = 2 * MAX_EVENT_BYTES
const MAX_PARTS = 1024

/** An event that is incomplete for this long is dropped; Feishu delivers it again. */
const MAX_AGE_MS = 10_000

/** The part of an event in a frame. */
interface Part {
  message_id: string | undefined
  /** The number of parts, and the index of this one. */
  sum: string | undefined
  seq: string | undefined
  payload: Buffer
}

interface IncompleteEvent {
  parts: (Buffer | undefined)[]
  missing: number
  bytes: number
  expiry: NodeJS.Timeout
}

/** Creates the store of incomplete events. */
export function createEventParts(maxAgeMs = MAX_AGE_MS) {
  const events = new Map<string, IncompleteEvent>()
  let totalBytes = 0

  function drop(id: string): void {
    const event = events.get(id)
    if (!event) return
    clearTimeout(event.expiry)
    totalBytes -= event.bytes
    events.delete(id)
  }

  function begin(id: string, sum: number): IncompleteEvent {
    if (events.size === MAX_EVENTS) dropOldest()
    const event: IncompleteEvent = {
      parts: new Array(sum).fill(undefined),
      missing: sum,
      bytes: 0,
      expiry: setTimeout(drop, maxAgeMs, id).unref(),
    }
    events.set(id, event)
    return event
  }

  const dropOldest = () => drop(events.keys().next().value!)

  return {
    /** Returns the event if this is its last missing part. Throws if the part makes no sense. */
    add({ message_id: id, payload, ...numbers }: Part): Buffer | undefined {
      const sum = toCount(numbers.sum)
      const seq = toCount(numbers.seq)
      if (!id || sum === 0 || sum > MAX_PARTS || !(seq < sum)) throw new Error('the part has no valid number')
      if (payload.length > MAX_EVENT_BYTES) throw new Error('the event is too long')
      if (sum === 1) return payload

      const event = events.get(id) ?? begin(id, sum)
      if (event.parts.length !== sum) throw new Error('the part does not belong to the others')
      if (event.parts[seq]) return undefined
      if (event.bytes + payload.length > MAX_EVENT_BYTES) {
        drop(id)
        throw new Error('the event is too long')
      }
      // A copy, because the payload would keep everything in memory that was received with it.
      event.parts[seq] = Buffer.from(payload)
      event.missing -= 1
      event.bytes += payload.length
      totalBytes += payload.length
      while (totalBytes > MAX_TOTAL_BYTES) dropOldest()
      if (event.missing > 0) return undefined
      drop(id)
      return Buffer.concat(event.parts as Buffer[])
    },

    /** Drops all incomplete events. */
    clear(): void {
      for (const id of events.keys()) drop(id)
    },
  }
}

/** Reads a number without a sign; NaN for other texts. */
const toCount = (text: string | undefined): number =>
  /^\d{1,5}$/.test(text ?? '') ? Number(text) : Number.NaN
