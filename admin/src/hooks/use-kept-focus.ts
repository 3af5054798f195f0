import { useEffect } from 'react';

/**
 * For a component that takes the focus and then disappears together with the element that had the focus before. When it
 * unmounts and nothing else has the focus, the active view gets it, so that keyboard users need not start again at the
 * top of the page.
 */
export const useKeptFocus = (): void =>
  useEffect(
    () => () =>
      void setTimeout(() => {
        if (document.activeElement === document.body)
          document.querySelector<HTMLElement>('#main-content [role=tabpanel][data-state=active]')?.focus();
      }),
    [],
  );
