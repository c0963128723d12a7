import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { joinNames, t } from '../i18n/words.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { RefreshCw } from '../ui/icons.ts'
import { showToast } from '../ui/toast.tsx'
import { useAction } from '../ui/use-action.ts'
import type { Plugin } from './plugins.ts'
import { requestRestart, untilRestarted } from './restart.ts'

/** Names the plugins whose changes wait for a restart, and restarts the server. */
export function RestartNotice({ plugins }: { plugins: readonly Plugin[] }) {
  const [isAsking, setAsking] = useState(false)
  const { isBusy, error, run } = useAction()
  const changed = plugins.filter(({ needs_restart }) => needs_restart).map(({ name }) => name)

  const restart = async () => {
    const old = await requestRestart()
    void run(async () => {
      await untilRestarted(old)
      showToast(t('plugins.restarted'))
    })
  }
  return (
    <>
      {isBusy ? (
        <Alert variant="light" role="status">
          <Group gap="sm" wrap="nowrap">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{t('plugins.restarting')}</Text>
          </Group>
        </Alert>
      ) : (
        changed.length > 0 && (
          <Alert variant="light" title={t('plugins.restart_title')}>
            <Stack gap="sm" align="flex-start">
              <Text size="sm">{t('plugins.restart_about', { names: joinNames(changed) })}</Text>
              <Button size="sm" leftSection={<RefreshCw size={14} />} onClick={() => setAsking(true)}>
                {t('plugins.restart')}
              </Button>
            </Stack>
          </Alert>
        )
      )}
      {error !== undefined && <Failure error={error} />}
      {isAsking && (
        <Confirm
          title={t('plugins.restart_question')}
          action={t('plugins.restart')}
          onConfirm={restart}
          onClose={() => setAsking(false)}
        >
          {t('plugins.restart_means')}
        </Confirm>
      )}
    </>
  )
}
