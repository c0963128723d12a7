/** The ways to sign in: one of the three. */
export interface SignIn {
  /** An access token; renewed tokens of the server replace it. */
  token?: string | undefined
  /** An API key. */
  apiKey?: string | undefined
  /** Returns an access token; called first without an argument, later with a token that the server has refused. */
  getToken?: ((refused?: string) => string | Promise<string>) | undefined
  /** Called with each renewed token of the server. */
  onToken?: ((token: string) => void) | undefined
}

/** Creates the holder of the current token. */
export const createCredentials = ({ token, apiKey, getToken, onToken }: SignIn) => {
  let current = token ?? apiKey
  let asking: Promise<string> | undefined

  const ask = (get: NonNullable<typeof getToken>, refused?: string) => {
    asking ??= Promise.resolve(get(refused))
      .then((fresh) => {
        current = fresh
        return fresh
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  return {
    /** The token to use now, if there is any. */
    read: async () => current ?? (getToken && ask(getToken)),

    /** Asks for another token in place of a refused one; returns it if it is another one. */
    async replace(refused: string | undefined): Promise<string | undefined> {
      const fresh = current === refused && getToken ? await ask(getToken, refused) : current
      return fresh === refused ? undefined : fresh
    },

    /** Takes over a renewed token. */
    renew(fresh: string) {
      current = fresh
      onToken?.(fresh)
    },
  }
}

/** The holder of the current token. */
export type Credentials = ReturnType<typeof createCredentials>

/** Paths that sign somebody in: they need no token, and `getToken` may call them. */
const SIGN_IN =
  /\/api\/auth\/(login|passkeys\/sign-in(\/options)?|invite\/\w+|(oauth|oidc)\/(status|start|exchange))$/

/** Creates the `fetch` that sends the token; a refused token is replaced once. */
export const createFetch =
  (credentials: Credentials) =>
  async (request: Request): Promise<Response> => {
    if (SIGN_IN.test(new URL(request.url).pathname)) return fetch(request)
    const again = request.clone()
    const token = await credentials.read()
    const answer = await send(request, token)
    const fresh = answer.status === 401 ? await credentials.replace(token) : undefined
    if (fresh === undefined) return take(answer)
    await answer.body?.cancel()
    return take(await send(again, fresh))

    function take(response: Response) {
      const renewed = response.headers.get('x-access-token')
      if (renewed) credentials.renew(renewed)
      return response
    }
  }

function send(request: Request, token: string | undefined) {
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
  return fetch(request)
}
