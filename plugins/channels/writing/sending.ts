import type { ChannelConnection, JSONValue, OutboundMessage } from '#kernel'
export function createSender({
  connect,
  signal,
}: {
  connect: (signal: AbortSignal) => Promise<ChannelConnection>
  signal: AbortSignal
}) {
  const attempt = async <Result>(work: (connection: ChannelConnection) => Promise<Result>): Promise<Result> =>
    work(await connect(signal))
  return {
    attempt,
    send: (target: JSONValue, message: OutboundMessage) =>
      attempt((connection) => connection.send(target, message, signal)),
  }
}
