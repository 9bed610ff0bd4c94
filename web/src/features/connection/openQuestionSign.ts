import { useEffect } from 'react'
import { useQuestionCount } from '@/api/queries'
import { useOpenQuestions } from '@/lib/title'

/** The number of open questions in title, favicon and, where this page is installed as an app, its badge. */
export function useOpenQuestionSign(): void {
  const count = useQuestionCount()
  useEffect(() => {
    useOpenQuestions.setState({ count })
    // Only installed apps have a badge; for others the browser may refuse.
    if ('setAppBadge' in navigator) void navigator.setAppBadge(count).catch(() => undefined)
  }, [count])
}
