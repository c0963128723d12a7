import type { ChannelKind } from '#plugin-api'
import { createSlackKind } from './kind.ts'

/** A Slack app in Socket Mode, which needs no public address. */
export default createSlackKind() satisfies ChannelKind
