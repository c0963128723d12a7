import type { Client } from '#client'
import { createCopy } from './agent-copy.ts'
import type { AgentVersion } from './agent-version.ts'
import { createAttachments } from './attachments.ts'
import type { Side } from './evaluation.ts'
import { JUDGE_INSTRUCTIONS } from './judge.ts'
import { readPrices } from './prices.ts'
import { readData } from './replies.ts'
import { createTurnRunner, type TurnRunner } from './turn.ts'

/** The agents of an evaluation in its account. */
export interface Bench {
  sides: Side[]
  judge: TurnRunner | undefined
  close(): void
}

/** Sets the versions up in the account of an evaluation, and a judge if one is needed. Throws a sentence. */
export async function createBench(
  client: Client,
  {
    versions,
    judge,
    approve,
    seconds,
  }: {
    versions: readonly AgentVersion[]
    /** The model of the judge, null for the default of the server; undefined if none is needed. */
    judge: string | null | undefined
    approve: boolean
    seconds: number
  },
): Promise<Bench> {
  const prices = await readPrices(client)
  const sides: Side[] = []
  for (const [index, version] of versions.entries()) {
    const agent_id = await createCopy(client, version, `tested-${index + 1}`)
    const turns = createTurnRunner(client, { agent_id, model: version.model, approve, seconds, prices })
    sides.push({ turns, attach: createAttachments(client, agent_id) })
  }
  const judging =
    judge === undefined
      ? undefined
      : createTurnRunner(client, {
          agent_id: await createJudge(client, judge),
          approve: false,
          seconds,
          prices,
        })
  return {
    sides,
    judge: judging,
    close() {
      for (const { turns } of sides) turns.close()
      judging?.close()
    },
  }
}

/** Creates the agent that judges, without tools; returns its id. */
async function createJudge(client: Client, model: string | null): Promise<string> {
  const body = {
    name: 'judge',
    system_prompt: JUDGE_INSTRUCTIONS,
    config: { temperature: 0, max_steps: 1 },
    ...(model !== null && { default_model: model }),
  }
  const { id } = await readData(client.POST('/agents', { body }))
  const params = { path: { id } }
  const { builtin } = await readData(client.GET('/agents/{id}/tool-settings', { params }))
  const disabled_builtin = builtin.filter(({ disableable }) => disableable).map(({ name }) => name)
  await readData(
    client.PUT('/agents/{id}/tool-settings', { params, body: { disabled_builtin, plugins: [] } }),
  )
  return id
}
