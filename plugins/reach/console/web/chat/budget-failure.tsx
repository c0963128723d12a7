import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { useAccount } from '../session/account.ts'
import classes from './chat-failure.module.css'

interface Props {
  error: unknown
  onRetry?: (() => void) | undefined
}

/** An answer that a budget does not allow: it reads as one, and tells who can raise the budget. */
export default function BudgetFailure({ error, onRetry }: Props) {
  const isAdmin = useAccount().role === 'admin'
  return (
    <>
      <p className={classes.words}>
        {readFailure(error).message} {t(isAdmin ? 'chat.budget_own' : 'chat.budget_ask')}
      </p>
      <Group gap="sm">
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('common.again')}
          </Button>
        )}
        <Link to="/usage" className={classes.link}>
          {t('chat.to_usage')}
        </Link>
      </Group>
    </>
  )
}
