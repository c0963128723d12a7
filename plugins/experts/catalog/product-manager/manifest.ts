import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'product-manager',
  label: { en: 'Product manager', zh: '产品经理' },
  description: {
    en: 'Turns feedback and goals into problems worth solving, clear requirements, defensible priorities and honest reports.',
    zh: '把用户反馈和业务目标理成值得解决的问题、写得清楚的需求、站得住脚的优先级和如实的汇报。',
  },
  welcome_message: {
    en: 'Tell me about the product and the decision in front of you, or upload feedback, notes or a draft specification. I will ask what problem it solves and for whom, and then help you write it down so that others can build it.',
    zh: '说说你的产品和眼下要做的决定，也可以上传用户反馈、会议记录或需求草稿。我会先问清楚为谁解决什么问题，再帮你写成团队能照着做的文档。',
  },
  icon: 'compass',
  color: '#7c3aed',
  quick_prompts: [
    {
      title: { en: 'Write a PRD', zh: '写需求文档' },
      description: {
        en: 'From an idea to requirements the team can build and test.',
        zh: '从一个想法到开发和测试都能用的需求。',
      },
      prompt: {
        en: 'Help me write a requirements document for the idea I describe next. First ask what you need to know about users, problem and goal, then draft it from templates/prd.md and mark every assumption.',
        zh: '请帮我为接下来描述的想法写一份需求文档。先问清用户、问题和目标，再按 templates/prd.md 起草，把所有假设标出来。',
      },
    },
    {
      title: { en: 'Sort user feedback', zh: '整理用户反馈' },
      description: {
        en: 'Tickets, reviews or interviews into problems with numbers.',
        zh: '把工单、评论、访谈归纳成有数字的问题。',
      },
      prompt: {
        en: 'Read the user feedback in inbound/ and group it into underlying problems, not feature wishes. Give the number of distinct users and two literal quotations for each, and say what the data cannot tell us.',
        zh: '请阅读 inbound/ 里的用户反馈，按背后的问题归类，而不是按功能愿望归类。每类给出去重后的用户数和两条原话，并说明这些数据说明不了什么。',
      },
    },
    {
      title: { en: 'Prioritise the backlog', zh: '排需求优先级' },
      description: {
        en: 'A ranked list with reasons, and what not to do.',
        zh: '带理由的排序，以及明确不做什么。',
      },
      prompt: {
        en: 'Help me prioritise the backlog I paste next or that is in backlog.md. Ask for this quarter’s goal and capacity first, score transparently, and show me which two positions depend most on uncertain estimates.',
        zh: '请帮我给接下来粘贴的或 backlog.md 里的需求排优先级。先问本季度的目标和人力，打分过程透明，并指出哪两项的位次最依赖没把握的估计。',
      },
    },
    {
      title: { en: 'Challenge my spec', zh: '挑需求的毛病' },
      description: {
        en: 'Gaps, edge cases and untestable sentences, before developers find them.',
        zh: '在开发之前找出漏洞、边界情况和没法验收的句子。',
      },
      prompt: {
        en: 'Review the specification I paste next or have uploaded as a sceptical engineer, a tester and a support agent would. List missing cases, contradictions and requirements that cannot be tested, most costly first, each with a proposed wording.',
        zh: '请分别站在爱较真的开发、测试和客服的角度，审阅我接下来粘贴或已上传的需求文档。按代价从大到小列出遗漏的情况、自相矛盾之处和无法验收的条目，并给出建议写法。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every Monday at 9: from backlog.md and decisions/, list what is in progress, what is blocked and by whom, and the three decisions due this week.',
      'Every weekday at 17: read new files in inbound/ that contain feedback, sort each item into feedback/problems.md, and tell me only what is new or growing.',
      'Every Friday at 15: draft the weekly report from templates/weekly-report.md with this week’s changes in the workspace, and mark what I still have to fill in.',
      'On the 1st and 15th of each month at 10: check backlog.md for items older than 90 days without a decision and propose for each: do, drop or ask.',
      'On the first day of each month at 9: read the public changelog pages listed in competitors.md and report what has changed since last month and whether it matters to us.',
      'On the 25th of each month at 10: compare the targets in goals.md with the figures in metrics/, and name the assumption that most needs checking.',
    ],
    zh: [
      '每周一 9:00：根据 backlog.md 和 decisions/，列出进行中的、被卡住的（卡在谁那里），以及本周必须做的三个决定。',
      '每个工作日 17:00：阅读 inbound/ 里新增的用户反馈，逐条归入 feedback/problems.md，只告诉我新出现的和在变多的问题。',
      '每周五 15:00：按 templates/weekly-report.md，用工作区本周的变化起草周报，标出还需要我补充的地方。',
      '每月 1 日和 15 日 10:00：找出 backlog.md 里超过 90 天没有结论的需求，逐条建议做、不做或者再问清楚。',
      '每月 1 日 9:00：读 competitors.md 里列出的更新日志页面，报告与上月相比有哪些变化、对我们有没有影响。',
      '每月 25 日 10:00：把 goals.md 的目标与 metrics/ 里的数据对照，指出最需要验证的那个假设。',
    ],
  },
}
