import { useQuery } from '@tanstack/react-query'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { readDeviceState, readSubscription } from './device.ts'

/** The devices of the account, and the state of this one. */
export function usePush() {
  const push = api.useQuery('get', '/auth/me/push')
  const endpoints = push.data?.subscriptions.map(({ endpoint }) => endpoint)
  const device = useQuery({
    queryKey: ['device', '/auth/me/push', endpoints],
    enabled: endpoints !== undefined,
    staleTime: 0,
    queryFn: async () => ({
      state: await readDeviceState(endpoints!),
      endpoint: (await readSubscription())?.endpoint,
    }),
  })
  return {
    push: push.data,
    device: device.data,
    error: push.error ?? device.error,
    refetch: () => (push.error ? push.refetch() : device.refetch()),
    readAgain: () => refresh('/auth/me/push'),
  }
}
