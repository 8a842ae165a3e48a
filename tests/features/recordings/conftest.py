from tests.page.state.conftest import page, pages, pages_of_file

__all__ = ["page", "pages", "pages_of_file"]
