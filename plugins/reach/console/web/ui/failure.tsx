import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Alert } from './alert.tsx'
import { CopyButton } from './copy-button.tsx'

interface Props {
  error: unknown
  /** The name of what has failed. */
  about?: string
  onRetry?: (() => void) | undefined
  /** The way to what ends it. */
  action?: ReactNode
}

/** A failure in words, with the way to try again, and on demand what support needs. */
export function Failure({ error, about, onRetry, action }: Props) {
  const { message, code, request_id, storage } = readFailure(error)
  const details = [code, request_id && t('common.request', { id: request_id })].filter(Boolean).join(' · ')
  return (
    <Alert>
      <div>
        {about && <b>{about}: </b>}
        {message}
        {storage && (
          <>
            {' '}
            {/* In a tab of its own, so that nothing that is being written is lost. */}
            <a href={storage} target="_blank" rel="noreferrer">
              {t('common.see_storage')}
            </a>
          </>
        )}
      </div>
      {(onRetry || action || details) && (
        <Group mt="sm" gap="sm" align="baseline">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('common.again')}
            </Button>
          )}
          {action}
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
