import { APICallError } from '@ai-sdk/provider'
import { createAuthorizedFetch } from './authorized-fetch.ts'
import type { BedrockConnection } from './connection.ts'
import { toControlURL } from './connection.ts'

/** The longest wait for the name, after which a call goes out without it. */
const MAX_WAIT_MS = 5000

/** The kinds of ids that do not name a model, with the path that does. */
const PATHS: readonly (readonly [RegExp, string])[] = [
  [/:application-inference-profile\//, 'inference-profiles'],
  [/:provisioned-model\//, 'provisioned-model-throughput'],
]

/**
 * Creates the function that returns the id of the model behind an id. The upstream is asked once; a key that may not ask
 * gets the id itself.
 */
export function createModelName(connection: BedrockConnection, modelId: string): () => Promise<string> {
  const path = PATHS.find(([pattern]) => pattern.test(modelId))?.[1]
  let name: Promise<string> | undefined

  async function readName(): Promise<string> {
    if (path === undefined) return modelId
    try {
      return await ask(connection, path, modelId)
    } catch (error) {
      // The call itself reports what is wrong with the key; after a failure of the network, the next call asks again.
      const isRefused = APICallError.isInstance(error) && (error.statusCode ?? 500) < 500
      if (!isRefused) name = undefined
      return modelId
    }
  }

  return () => {
    name ??= readName()
    return name
  }
}

async function ask(connection: BedrockConnection, path: string, modelId: string): Promise<string> {
  const { readTarget } = await import('./model-target.ts')
  const url = `${toControlURL(connection)}/${path}/${encodeURIComponent(modelId)}`
  const fetch = await createAuthorizedFetch(connection)
  return (await readTarget(url, { signal: AbortSignal.timeout(MAX_WAIT_MS), fetch })) || modelId
}
