import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/pending.tsx'

interface Props {
  connector: { id: string; name: string }
  onClose(): void
}

/** Asks before the page of a service is opened on which somebody signs in; that page leads back here. */
export default function SignIn({ connector: { id, name }, onClose }: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ['sign-in', id],
    queryFn: () =>
      send(
        client.POST('/connectors/{id}/authorize', {
          params: { path: { id } },
          body: { redirect_after: location.pathname },
        }),
      ),
    gcTime: 0,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const address = data && new URL(data.authorization_url)
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('approvals.sign_in_to', { name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <Stack gap="md">
        <Text size="sm">{t('connectors.sign_in_about')}</Text>
        {error ? (
          <Failure error={error} onRetry={refetch} />
        ) : address ? (
          <Group wrap="nowrap" gap="xs">
            <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {address.origin + address.pathname}
            </Text>
            <CopyButton text={address.href} />
          </Group>
        ) : (
          <Loading height={24} />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button disabled={!address} onClick={() => address && location.assign(address)}>
            {t('connectors.sign_in_go')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
