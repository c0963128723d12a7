import type { BedrockConnection } from './connection.ts'

/**
 * Creates a fetch that adds the credentials of a provider to every request: its Bedrock API key, otherwise a signature
 * (version 4) with its access key, otherwise none, which AWS refuses and a gateway with its own credentials accepts.
 */
export async function createAuthorizedFetch(connection: BedrockConnection): Promise<typeof globalThis.fetch> {
  const { api_key, fetch } = connection
  const sign = api_key ? undefined : await createSigner(connection)
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    headers.delete('authorization')
    if (api_key) headers.set('authorization', `Bearer ${api_key}`)
    return fetch(input, { ...init, headers: (await sign?.(String(input), { ...init, headers })) ?? headers })
  }
}

type Sign = (url: string, request: RequestInit & { headers: Headers }) => Promise<Headers>

async function createSigner(connection: BedrockConnection): Promise<Sign | undefined> {
  const { region, access_key_id, secret_access_key, session_token } = connection.options
  if (!access_key_id || !secret_access_key) return undefined
  const { AwsV4Signer } = await import('aws4fetch')
  return async (url, { method, headers, body }) => {
    const signer = new AwsV4Signer({
      url,
      method: method ?? 'GET',
      headers,
      body,
      region,
      service: 'bedrock',
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      sessionToken: session_token,
    })
    return (await signer.sign()).headers
  }
}
