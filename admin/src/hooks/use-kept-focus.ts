import { useEffect } from 'react';

/** Gives the focus to the active view if nothing that can be used has it, once all changes of the page are made. */
export const keepFocus = (): void =>
  void setTimeout(() => {
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.matches(':disabled') === true)
      document.querySelector<HTMLElement>('#main-content [role=tabpanel][data-state=active]')?.focus();
  });

/**
 * For a component that takes the focus and then disappears together with the element that had the focus before. When it
 * unmounts and nothing else has the focus, the active view gets it, so that keyboard users need not start again at the
 * top of the page.
 */
export const useKeptFocus = (): void => useEffect(() => () => keepFocus(), []);
