import type { LocalizedText } from './locale.ts'
import type { JSONSchema } from './schema.ts'

/** A sort of messaging platform. The default export of each folder in `channels/`, or registered by a plugin. */
export interface ChannelKind {
  kind: string
  label: LocalizedText
  /** JSON Schema of a channel's `config`; secrets are marked writeOnly. */
  config_schema: JSONSchema
}
