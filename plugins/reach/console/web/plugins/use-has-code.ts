import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'

/** True if the account has an authenticator app, whose codes installing asks for. */
export function useHasCode(): boolean {
  const { features } = useFacts()
  const { data } = api.useQuery('get', '/auth/totp', {}, { enabled: Boolean(features['two-factor']) })
  return data?.enabled ?? false
}
