import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Empty } from './empty.tsx'

/** True for the error of something that does not exist, or that the account may not see (any longer). */
export const isGone = (error: unknown): boolean => /(^|_)NOT_FOUND$/.test(readFailure(error).code ?? '')

/** Says that something was deleted, or is no longer shared with the account. */
export const Gone = () => (
  <Empty
    title={t('frame.gone')}
    action={
      <Button variant="default" component={Link} to="/">
        {t('frame.to_chat')}
      </Button>
    }
  >
    {t('frame.gone_about')}
  </Empty>
)
