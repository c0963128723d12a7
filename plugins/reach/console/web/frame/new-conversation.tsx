import { ActionIcon, Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useAgent, useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { ChevronDown, MessageCirclePlus } from '../ui/icons.ts'
import classes from './sidebar.module.css'
import type { SidebarProps } from './sidebar.tsx'

const AgentMenu = lazy(() => import('./agent-menu.tsx'))

/** Begins a conversation with the agent that was used last, or with one to choose. */
export function NewConversation({ onLeave }: SidebarProps) {
  const { rows: agents = [] } = useAgents()
  const { agent: name } = useParams({ strict: false })
  const { agent } = useAgent(name)
  const [isChoosing, setChoosing] = useState(false)
  const choose = (
    <ActionIcon
      variant="default"
      size={36}
      aria-label={t('conversations.choose_agent')}
      aria-haspopup="menu"
      onClick={() => setChoosing(true)}
    >
      <ChevronDown size={16} aria-hidden />
    </ActionIcon>
  )
  return (
    <Button.Group className={classes.begin}>
      <Button
        component={Link}
        to={agent ? `/chat/${agent.id}` : '/chat'}
        variant="default"
        flex={1}
        justify="flex-start"
        leftSection={<MessageCirclePlus size={16} aria-hidden />}
        aria-label={agent ? t('chat.new_with', { agent: agent.name }) : undefined}
        onClick={onLeave}
      >
        {t('chat.new_thread')}
      </Button>
      {agents.length > 1 && (
        <Suspense fallback={choose}>{isChoosing ? <AgentMenu onLeave={onLeave} /> : choose}</Suspense>
      )}
    </Button.Group>
  )
}
