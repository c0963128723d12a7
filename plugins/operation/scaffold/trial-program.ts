// The program of the process in which a start is tried.
import { readBlueprint } from '#plugin-api'
import { listPlugins } from './plugin-rows.ts'
import type { TrialRequest, TrialResult } from './trial.ts'

async function read({ home, file, folder }: TrialRequest): Promise<TrialResult> {
  try {
    const trial = folder === undefined ? undefined : { folder }
    return { rows: listPlugins(await readBlueprint({ home, env: process.env, file, trial })) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

process.once('message', async (request: TrialRequest) => {
  process.send!(await read(request))
})
