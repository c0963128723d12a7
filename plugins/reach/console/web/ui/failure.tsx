import { Button, Group, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Alert } from './alert.tsx'
import { CopyButton } from './copy-button.tsx'

interface Props {
  error: unknown
  /** The name of what has failed. */
  about?: string
  onRetry?: (() => void) | undefined
}

/** A failure in words, with the way to try again, and on demand what support needs. */
export function Failure({ error, about, onRetry }: Props) {
  const { message, code, request_id } = readFailure(error)
  const details = [code, request_id && t('common.request', { id: request_id })].filter(Boolean).join(' · ')
  return (
    <Alert>
      <div>
        {about && <b>{about}: </b>}
        {message}
      </div>
      {(onRetry || details) && (
        <Group mt="sm" gap="sm" align="baseline">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('common.again')}
            </Button>
          )}
          {details && (
            <details>
              <summary>{t('common.details')}</summary>
              <Group gap="xs">
                <Text size="xs" ff="monospace">
                  {details}
                </Text>
                <CopyButton text={details} />
              </Group>
            </details>
          )}
        </Group>
      )}
    </Alert>
  )
}
