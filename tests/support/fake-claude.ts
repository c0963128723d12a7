import { createHmac } from 'node:crypto'
import type { VendorReply } from '../../plugin-api/testing/fake-vendor.ts'

/** The text that makes Claude think in redacted blocks, as Anthropic documents it for tests. */
export const REDACTION_TRIGGER =
  'ANTHROPIC_MAGIC_STRING_TRIGGER_REDACTED_THINKING_46C9A13E193C177646C7398A98432ECCCE4C1253D5E2D82641AC0E52CC2876CB'

/** The signature of a thought. The whole of it is in there, encrypted; its text may be a summary or left out. */
export const sign = (thought: string) =>
  `Er${createHmac('sha256', 'fake').update(thought).digest('base64')}.${Buffer.from(thought).toString('base64')}`

/** True for an unchanged signature. */
export const isSignature = (text = ''): boolean =>
  text === sign(Buffer.from(text.split('.')[1] ?? '', 'base64').toString())

/** Why an answer of Claude stops. */
export const stopReasonOf = ({ finish, toolCalls = [] }: VendorReply) =>
  finish === 'length' ? 'max_tokens' : toolCalls.length > 0 ? 'tool_use' : 'end_turn'
