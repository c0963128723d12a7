import { deferSchema, type JSONSchema, nullable, rowOf } from '#plugin-api'
import { filename, inputBlock, mediaType, path, usage } from '../message-schemas.ts'
import { turnFrameFields } from '../turn-frames.ts'
import type { FrameType } from './ledger-event.ts'
import type { ReadEvent } from './ledger-reader.ts'

/** The largest number that may be imported, so that sums stay exact. */
const MAX_SUMMAND = 1_000_000_000_000
const tokens = { type: 'integer', minimum: 0, maximum: MAX_SUMMAND } as const
const id = { type: 'string', minLength: 1, maxLength: 1024 } as const

/** The fields of usage with bounds; the others have their own. */
const boundsOfUsage: Record<string, JSONSchema> = {
  ...Object.fromEntries(
    Object.keys(usage.properties)
      .filter((name) => name.endsWith('_tokens'))
      .map((name) => [name, tokens]),
  ),
  cost: nullable(
    rowOf({
      amount: { type: 'number', minimum: 0, maximum: MAX_SUMMAND },
      currency: { type: 'string', minLength: 1, maxLength: 8 },
    }),
  ),
}

/** Bounds for fields that are bounded elsewhere when this server writes them. */
const bounds: Record<string, JSONSchema> = {
  message_id: id,
  client_message_id: id,
  after_message_id: nullable(id),
  parent_tool_call_id: id,
  tool_call_id: id,
  call_id: id,
  pending_id: id,
  path,
  filename,
  media_type: mediaType,
  url: nullable({ type: 'string', maxLength: 4096 }),
  usage: {
    ...usage,
    properties: Object.fromEntries(
      Object.entries(usage.properties).map(([name, field]) => [name, boundsOfUsage[name] ?? field]),
    ),
  },
  decisions: { ...turnFrameFields.hitl_resolved.properties.decisions, maxItems: 16 },
}

/** Returns the schema of an imported frame: the fields of a sent frame, with bounds. */
function toBoundedFrame(type: FrameType): JSONSchema {
  const { properties, ...schema } = turnFrameFields[type]
  const bounded = Object.entries(properties).map(([name, field]) => [name, bounds[name] ?? field])
  // The only frame whose `message_id` may be null.
  const nullableId = type === 'done' && { message_id: nullable(id) }
  return { ...schema, properties: { ...Object.fromEntries(bounded), ...nullableId } }
}

const validators = new Map(
  (Object.keys(turnFrameFields) as FrameType[]).map((type) => {
    const properties = {
      frame: toBoundedFrame(type),
      input: { type: 'array', items: inputBlock, maxItems: 64 },
      after: { type: 'integer', minimum: 0 },
      documents: { type: 'array', items: rowOf({ path, text: { type: 'string' } }), maxItems: 64 },
      is_copied: { const: true },
      ms: { maximum: MAX_SUMMAND },
      first_token_ms: { maximum: MAX_SUMMAND },
    }
    return [type, deferSchema({ type: 'object', properties }, 'json')]
  }),
)

/** Checks the frame, input and times of an event from another server; throws VALIDATION_FAILED. */
export const assertImportable = (event: ReadEvent): void => void validators.get(event.type)!(event)
