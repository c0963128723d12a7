import type { ChannelKind } from '#kernel'
import { createSlackKind } from './kind.ts'

/** A Slack app in Socket Mode, which needs no public address. */
export default createSlackKind() satisfies ChannelKind
