import { createLinker, type LinkedChannel, settingsOf } from '../../plugin-api/testing/channel-bench.ts'
import type { FakePlatform } from '../../plugin-api/testing/fake-platform.ts'
import type { Test } from '../run/file-test.ts'
import { startChat, type TestChat } from './chat.ts'

/** A server with an agent, a fake platform and a channel between them. */
export type TestChannel = TestChat & LinkedChannel

/** Starts a server and a fake platform; each call of the returned function links a new channel, the only one there. */
export async function startPlatform(
  t: Test,
  {
    kind,
    startFake,
    plugins = {},
  }: {
    kind: string
    startFake(): Promise<FakePlatform>
    /** The sources of more plugins, by name. */
    plugins?: Record<string, string>
  },
): Promise<(config?: Record<string, unknown>) => Promise<TestChannel>> {
  const platform = await startFake()
  t.teardown(() => platform.close())
  const chat = await startChat(t, { plugins, config: { plugins: settingsOf(kind, platform) } })
  const { server, fake, agent_id } = chat
  const link = createLinker(
    {
      server: {
        get url() {
          return server.url
        },
        request: (method, path, body) => server.request(method, path, { body }),
      },
      fake,
      agent_id,
    },
    platform,
    kind,
  )
  return async (config) => ({ ...chat, ...(await link(config)) })
}
