import { Alert, Anchor, Button, List, Loader, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import QR from '../ui/qr.tsx'
import type { Values } from '../ui/schema-form-schema.ts'
import { Sheet } from '../ui/sheet.tsx'
import type { ChannelKind } from './channel-form.ts'

interface Props {
  agentId: string
  kind: ChannelKind
  /** Called with the credentials that a scan has brought, or with none if they are entered by hand. */
  onConfig(config: Values): void
  onClose(): void
}

const POLL_MS = 2_000

/** Links a platform by a QR code: the steps, the code, and how far it has come. */
export default function ScanChannel({ agentId, kind, onConfig, onClose }: Props) {
  const params = { path: { id: agentId, kind: kind.kind } }
  const code = useQuery({
    queryKey: ['scan', agentId, kind.kind],
    queryFn: () => send(client.POST('/agents/{id}/channels/{kind}/qrcode/generate', { params })),
    gcTime: 0,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { qrcode_token, registration_id } = code.data ?? {}
  const poll = useQuery({
    queryKey: ['scan', agentId, kind.kind, qrcode_token ?? registration_id],
    queryFn: () => {
      const body = qrcode_token ? { qrcode_token } : { registration_id: registration_id! }
      return send(client.POST('/agents/{id}/channels/{kind}/qrcode/poll', { params, body }))
    },
    enabled: code.data !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data } }) => (!data || isWaiting(data.status) ? POLL_MS : false),
  })
  const outcome = poll.data
  const isOver = outcome !== undefined && !isWaiting(outcome.status)
  const isDone = outcome?.status === 'success'

  useEffect(() => {
    if (!isDone) return
    if (kind.registration === 'channel') refresh('/agents/{id}/channels')
    else {
      const { status: _, channel_id: __, ...config } = outcome
      onConfig(config)
    }
  }, [isDone, outcome, kind, onConfig])

  return (
    <Sheet
      title={t('channels.new', { kind: kind.label })}
      onClose={onClose}
      aside={
        !isDone && (
          <Anchor component="button" type="button" size="sm" onClick={() => onConfig({})}>
            {t('channels.by_hand')}
          </Anchor>
        )
      }
    >
      {isDone ? (
        <Alert color="indigo" variant="light" role="status">
          {t('channels.scan_done', { kind: kind.label })}
        </Alert>
      ) : (
        <>
          <List type="ordered" size="sm" spacing="xs">
            <List.Item>{t('channels.scan_open', { kind: kind.label })}</List.Item>
            <List.Item>{t('channels.scan_code')}</List.Item>
            <List.Item>{t('channels.scan_confirm')}</List.Item>
          </List>
          {code.error ? (
            <Failure error={code.error} onRetry={code.refetch} />
          ) : !code.data ? (
            <Skeleton width={226} height={226} />
          ) : isOver ? (
            <Stack gap="sm" align="flex-start">
              <Alert color="gray" role="status">
                {t(outcome.status === 'expired' ? 'channels.scan_expired' : 'channels.scan_failed')}
              </Alert>
              <Button variant="default" onClick={() => code.refetch()}>
                {t('channels.scan_again')}
              </Button>
            </Stack>
          ) : (
            <>
              <QR content={code.data.qrcode_url} label={t('channels.scan_label', { kind: kind.label })} />
              <Text size="sm" c="var(--meta)" role="status">
                <Loader size={12} mr={8} aria-hidden />
                {t('channels.scan_waiting')}
              </Text>
              <Anchor href={code.data.qrcode_url} target="_blank" rel="noreferrer noopener" size="sm">
                {t('channels.scan_link')}
              </Anchor>
              {poll.error && <Failure error={poll.error} onRetry={poll.refetch} />}
            </>
          )}
        </>
      )}
    </Sheet>
  )
}

const isWaiting = (status: string) => status === 'pending' || status === 'waiting'
