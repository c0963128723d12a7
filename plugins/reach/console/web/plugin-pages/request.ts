import { client } from '../server/client.ts'

/** Calls the API for the page of a plugin; returns the parsed reply. Throws the body of a refusal. */
export async function request(method: string, path: string, body?: object): Promise<unknown> {
  const call = client.request as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown }>
  const { data, error } = await call(method.toLowerCase(), path, body ? { body } : {})
  if (error !== undefined) throw error
  return data
}
