import type { JSONObject, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { toScalarText } from '#plugin-api'
import { createCallId, toCallInput } from '../call-input.ts'
import { copyBounded, METADATA_KEY } from './thoughts.ts'

interface CallFields {
  name?: unknown
  arguments?: unknown
  /** Instead of `arguments`. */
  parameters?: unknown
}

/** A part of a call, as a stream delivers it. */
export interface CallDelta {
  index?: unknown
  id?: unknown
  function?: CallFields | null
  /** Instead of `function`, from gateways that leave it out. */
  name?: unknown
  arguments?: unknown
  extra_content?: unknown
  provider_specific_fields?: unknown
}

interface Call {
  index: number
  id: string
  /** True if the upstream has chosen the id. */
  isIdGiven: boolean
  name: string
  input: string
  /** Data that the upstream expects back with the call. */
  extra: JSONObject | undefined
}

/** Creates the writer of the calls of one answer; `begin` is called before the first part of a call. */
export function createCallWriter(emit: (part: LanguageModelV3StreamPart) => void, begin: () => void) {
  const calls: Call[] = []

  function add(delta: CallDelta): void {
    const index = toIndex(delta.index)
    const id = toScalarText(delta.id).trim()
    const fields: CallFields = delta.function ?? delta
    const name = toScalarText(fields.name).trim()
    const input = readInput(fields.arguments ?? fields.parameters)
    let call = name === '' ? findOpen(index, id) : findNamed(index, id, name, input)
    if (!call) {
      call = {
        index: index ?? calls.length,
        id: id || createCallId(),
        isIdGiven: id !== '',
        name: '',
        input: '',
        extra: undefined,
      }
      calls.push(call)
    } else if (index !== undefined && name === '') call.index = index
    if (delta.extra_content || delta.provider_specific_fields) addExtra(call, delta)
    if (name !== '' && call.name === '') open(call, name)
    else if (name !== '' && continuesName(call, id, name, input)) call.name += name
    if (input !== '') append(call, input)
  }

  function open(call: Call, name: string): void {
    begin()
    call.name = name
    emit({ type: 'tool-input-start', id: call.id, toolName: name })
    if (call.input !== '') emit({ type: 'tool-input-delta', id: call.id, delta: call.input })
  }

  function append(call: Call, input: string): void {
    if (input.startsWith('{')) {
      // The call is sent once more as a whole, or something empty came before its arguments.
      if (input === call.input && isComplete(input)) return
      if (isEmpty(call.input)) call.input = ''
    }
    call.input += input
    if (call.name !== '') emit({ type: 'tool-input-delta', id: call.id, delta: input })
  }

  /** Finds the call whose name a delta repeats; undefined if it begins a call. */
  function findNamed(index: number | undefined, id: string, name: string, input: string): Call | undefined {
    const last = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index)
    const call = index === undefined && id !== '' ? calls.findLast((other) => other.id === id) : last
    if (!call || call.name === '') return call
    if (id !== '' && call.isIdGiven && id !== call.id) return undefined
    // Some upstreams send index 0 or the same id for every call.
    if (input !== '' && isComplete(call.input) && !isEmpty(call.input) && input !== call.input)
      return undefined
    if (index !== undefined || id !== '') return continues(call, name, input) ? call : undefined
    return call.name === name && call.input !== '' && !isComplete(call.input) ? call : undefined
  }

  /** Finds the call that a delta without a name continues. */
  function findOpen(index: number | undefined, id: string): Call | undefined {
    const byIndex = index === undefined ? undefined : calls.findLast((call) => call.index === index)
    if (byIndex && (id === '' || byIndex.id === id)) return byIndex
    const byId = id === '' ? undefined : calls.findLast((call) => call.id === id)
    if (byId ?? byIndex) return byId ?? byIndex
    const last = calls.at(-1)
    // A head with an index of its own may be followed by a tail with another one.
    return last && (index === undefined || id === '') && !isComplete(last.input) ? last : undefined
  }

  return {
    /** The number of calls so far. */
    get count(): number {
      return calls.length
    },
    add,
    /** True if the arguments of every call are complete. */
    isWhole: () => calls.every(({ input }) => toCallInput(input) === '' || isComplete(toCallInput(input))),
    /** Writes the calls in their order; a call without a name cannot be used. */
    finish(): void {
      for (const { id, name, input, extra } of calls.sort((a, b) => a.index - b.index)) {
        if (name === '') continue
        emit({ type: 'tool-input-end', id })
        const providerMetadata = extra && { [METADATA_KEY]: extra }
        emit({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: toCallInput(input),
          providerMetadata,
        })
      }
    },
  }
}

/** Collects the calls of one answer. */
export type CallWriter = ReturnType<typeof createCallWriter>

function addExtra(call: Call, { extra_content, provider_specific_fields }: CallDelta): void {
  const extra = copyBounded({
    ...(extra_content != null && { extra_content }),
    ...(provider_specific_fields != null && { provider_specific_fields }),
  })
  if (extra) call.extra = { ...call.extra, ...extra }
}

/** True if this name belongs to the call: repeated, or its next piece. */
const continues = (call: Call, name: string, input: string) =>
  call.name === name || (call.isIdGiven && call.input === '' && input === '')

const continuesName = (call: Call, id: string, name: string, input: string) =>
  call.name !== name && id === '' && input === '' && call.input === ''

function toIndex(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined
}

/** Reads the arguments of a delta; some upstreams send an object. */
const readInput = (value: unknown): string =>
  typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)

function isComplete(input: string): boolean {
  if (!input.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(input)
    return true
  } catch {
    // More of it is still to come.
    return false
  }
}

const isEmpty = (input: string) => /^\s*(\{\s*\}|null|"")\s*$/.test(input)
