import { test as nodeTest } from 'node:test'
import { type ChannelKind, definePlugin } from '../index.ts'
import { type AgentBench, type BenchSettings, startAgentBench } from './agent-bench.ts'
import { type ChannelBench, createLinker, settingsOf } from './channel-bench.ts'
import { addConnectionCases } from './channel-connection-cases.ts'
import { addControlCases } from './channel-control-cases.ts'
import { addMessageCases } from './channel-message-cases.ts'
import type { FakePlatform, Lack } from './fake-platform.ts'
import { declareTests, type TestFunction } from './test-function.ts'

/** A channel kind with the fake of its platform. */
export interface ChannelKindSubject extends BenchSettings {
  kind: ChannelKind
  startFake(): Promise<FakePlatform>
  lacks?: readonly Lack[]
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
}

/**
 * Tests a channel kind on a real server, whose model is a fake one, against a fake of the kind's platform. The server
 * gets the kind from `plugins`; unless they are given, from a plugin that brings it alone.
 */
export function testChannelKind({
  kind: subject,
  startFake,
  lacks = [],
  test = nodeTest,
  plugins,
  config = {},
  databaseUrl,
}: ChannelKindSubject): unknown {
  const { kind } = subject

  return declareTests(test, `channel kind ${kind}`, async (t, add) => {
    let bench: AgentBench | undefined
    const platform = await startFake()
    t.after(async () => {
      await bench?.close()
      await platform.close()
    })
    const { plugins: sections, ...more } = config
    bench = await startAgentBench({
      plugins: plugins ?? [pluginOf(subject)],
      config: { ...more, plugins: { ...settingsOf(kind, platform), ...(sections as object) } },
      databaseUrl,
    })
    const { server, agent_id } = bench
    const cases: ChannelBench = {
      kind,
      server,
      agent_id,
      can: (ability) => !lacks.includes(ability),
      idOf: (sender) => platform.idOf?.(sender) ?? sender,
      hasBacklog: platform.sayUnheard !== undefined,
      start: createLinker(bench, platform, kind),
    }
    await addMessageCases(cases, add)
    await addControlCases(cases, add)
    await addConnectionCases(cases, add)
  })
}

/** Returns a plugin that brings a kind and nothing else. */
const pluginOf = (kind: ChannelKind) =>
  definePlugin({
    name: `${kind.kind}-kind`,
    summary: `The channel kind ${kind.kind}`,
    kernel: 1,
    depends: ['channels'],
    setup: (host) => host.extend('channels.kinds', kind),
  })
