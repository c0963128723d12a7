import type { components } from '#client'
import { client } from '../server/client.ts'
import { ifMatch, sendTagged } from '../server/send.ts'
import { listChanges } from '../ui/draft.ts'

/** The settings of a service as the server stores them. */
export type Settings = components['schemas']['SignInSettings']
/** A rule that grants rights to people with some claim. */
export type Rule = components['schemas']['ClaimRule']

/** The settings that a person edits. */
export interface Values {
  enabled: boolean
  display_name: string
  client_id: string
  client_secret: string | null
  scopes: string
  issuer: string | null
  agent_id: string | null
  rules: Rule[]
}

/** The values of stored settings; the secret is never read. */
export function valuesOf(settings: Settings): Values {
  const { enabled, display_name, client_id, scopes, issuer, agent_id, rules } = settings
  return { enabled, display_name, client_id, scopes, issuer, agent_id, rules, client_secret: null }
}

/** Stores what was changed. */
export const storeSettings = (kind: Settings['kind'], base: Values, values: Values, tag: string | null) =>
  sendTagged(
    client.PUT('/auth/oauth/providers/{kind}', {
      params: { path: { kind }, header: ifMatch(tag) },
      body: listChanges(base, { ...values, rules: values.rules.filter(({ claim }) => claim.trim() !== '') }),
    }),
  )
