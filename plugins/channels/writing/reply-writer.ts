import type { ChannelCapabilities, ChannelConnection, JSONValue, Logger } from '#kernel'
export interface WritingProgress {
  sent: number
  covered: number
  live: JSONValue
}
export interface ReplyWriter {
  show(markdown: string): void
  finish(markdown: string): Promise<void>
  stop(): Promise<void>
}
export function createReplyWriter(options: {
  connect: (signal: AbortSignal) => Promise<ChannelConnection>
  capabilities: ChannelCapabilities
  target: JSONValue
  key: string
  is_live: boolean
  progress: WritingProgress
  save(progress: WritingProgress): Promise<void>
  signal: AbortSignal
  log: Logger
}): ReplyWriter {
  return {
    show() {},
    async finish(markdown) {
      if (options.progress.sent > 0) return
      await (await options.connect(options.signal)).send(
        options.target,
        { text: markdown, key: options.key },
        options.signal,
      )
      await options.save({ sent: 1, covered: markdown.length, live: null })
    },
    async stop() {},
  }
}
