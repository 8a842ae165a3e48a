from tests.page.routes.conftest import me, whole_url
from tests.page.state.conftest import page, pages, pages_of_file

__all__ = ["me", "page", "pages", "pages_of_file", "whole_url"]
